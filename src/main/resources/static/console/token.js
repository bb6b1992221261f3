// The API token, if the service wants one: asked for once, kept until the tab is closed, never in a cookie or an address.
import { h } from './dom.js';

const KEY = 'seriatim.token';
let asking = null;

export const token = () => sessionStorage.getItem(KEY);

export function forget() {
  sessionStorage.removeItem(KEY);
  document.getElementById('forget').hidden = true;
}

/** Shows the button that forgets it, if there is one. */
export function showForget(afterwards) {
  const button = document.getElementById('forget');
  button.hidden = !token();
  button.onclick = () => {
    forget();
    afterwards();
  };
}

/** Resolves to true when somebody has entered one, to false when they would not. All who ask at once share one dialog. */
export function askForToken(refused) {
  asking ??= ask(refused).finally(() => {
    asking = null;
  });
  return asking;
}

function ask(refused) {
  return new Promise((resolve) => {
    const field = h('input', { id: 'token', type: 'password', autocomplete: 'off', required: true, 'aria-describedby': 'token-help' });
    const dialog = h('dialog', { 'aria-labelledby': 'token-title' },
      h('form', {
        method: 'dialog',
        onsubmit: () => {
          sessionStorage.setItem(KEY, field.value.trim());
          document.getElementById('forget').hidden = false;
        },
      },
      h('h2', { id: 'token-title' }, 'API token'),
      refused ? h('p', { role: 'alert', class: 'problem' }, 'The service does not know that token.') : null,
      h('p', { id: 'token-help' }, 'One of seriatim.security.token or seriatim.security.operators. This tab keeps it until it is closed.'),
      h('label', { for: 'token' }, 'Token'), field,
      h('p', { class: 'buttons' },
        h('button', { type: 'submit', class: 'primary' }, 'Go on'),
        h('button', { type: 'button', onclick: () => dialog.close() }, 'Back'))));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(field.value.trim() !== '' && token() === field.value.trim());
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
