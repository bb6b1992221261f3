/** How long a whole run takes on the screen. */
const SHOWN_MS = 12000;

/** Between two steps where the reader wants no motion. */
const STEP_EVERY_MS = 600;

/** The time that is shown, and what moves it. Knows nothing of the page but frames and timers. */
export class Player {
  #end = 0;
  #moments = [];
  #now = 0;
  #timer = null;
  #onTime;
  #onState;
  #reducedMotion;

  /**
   * @param onTime is told the time whenever it changes
   * @param onState is told whether it plays
   */
  constructor({ onTime, onState, reducedMotion }) {
    this.#onTime = onTime;
    this.#onState = onState;
    this.#reducedMotion = reducedMotion;
  }

  /** Begins with another run, at its end: the result is there to be seen at once. */
  load(moments, end) {
    this.pause();
    this.#moments = moments;
    this.#end = end;
    this.seek(end);
  }

  get now() {
    return this.#now;
  }

  get playing() {
    return this.#timer !== null;
  }

  /** From where it stands; from the beginning when it stands at the end. */
  play() {
    if (this.#now >= this.#end) {
      this.seek(0);
    }
    if (this.#reducedMotion()) {
      const timer = setInterval(() => this.#advance(this.#momentAfter()), STEP_EVERY_MS);
      this.#timer = () => clearInterval(timer);
    } else {
      this.#animate();
    }
    this.#onState(true);
  }

  pause() {
    this.#timer?.();
    this.#timer = null;
    this.#onState(false);
  }

  seek(ms) {
    this.#now = Math.max(0, Math.min(ms, this.#end));
    this.#onTime(this.#now);
  }

  /** To the next moment at which something begins or ends. */
  step() {
    this.pause();
    this.seek(this.#momentAfter());
  }

  stepBack() {
    this.pause();
    this.seek(this.#moments.findLast((moment) => moment < this.#now) ?? 0);
  }

  #momentAfter() {
    return this.#moments.find((moment) => moment > this.#now) ?? this.#end;
  }

  #animate() {
    let before = performance.now();
    let frame = 0;
    const draw = (at) => {
      frame = requestAnimationFrame(draw);
      const passed = Math.max(0, at - before);
      before = at;
      this.#advance(this.#now + (passed * this.#end) / SHOWN_MS);
    };
    frame = requestAnimationFrame(draw);
    this.#timer = () => cancelAnimationFrame(frame);
  }

  #advance(ms) {
    this.seek(ms);
    if (this.#now >= this.#end) {
      this.pause();
    }
  }
}
