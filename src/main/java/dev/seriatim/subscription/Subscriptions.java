package dev.seriatim.subscription;

import dev.seriatim.api.Page;
import dev.seriatim.api.PageRequest;
import dev.seriatim.api.ProblemException;
import dev.seriatim.api.ProblemType;
import dev.seriatim.api.StrictJson;
import dev.seriatim.audit.Audit;
import dev.seriatim.audit.AuditAction;
import dev.seriatim.subscription.Subscription.State;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;

/**
 * What clients may do with subscriptions. Each is one transaction, with an entry in the audit if it
 * changed something. Thread-safe; blocks on the database.
 */
@Component
class Subscriptions {

  /** Enough for a sentence; it is shown with every lane that is held. */
  private static final int MAX_REASON_LENGTH = 1000;

  private final SubscriptionStore store;
  private final EndpointReader endpoints;
  private final SubscriptionRules rules;
  private final RandomNames names;
  private final StrictJson json;
  private final Audit audit;
  private final TransactionTemplate transaction;

  Subscriptions(
      SubscriptionStore store,
      EndpointReader endpoints,
      SubscriptionRules rules,
      RandomNames names,
      StrictJson json,
      Audit audit,
      TransactionTemplate transaction) {
    this.store = store;
    this.endpoints = endpoints;
    this.rules = rules;
    this.names = names;
    this.json = json;
    this.audit = audit;
    this.transaction = transaction;
  }

  SubscriptionAnswer create(JsonNode request) {
    ReadOnlyFields.refuseInCreation(request);
    SubscriptionBody body = json.read(request, SubscriptionBody.class);
    SubscriptionSpec spec =
        rules.complete(body, body.id() == null ? names.subscriptionId() : body.id());
    WebhookSecret secret = body.secret() == null ? names.secret() : parse(body.secret());
    return inTransaction(() -> insert(spec, secret))
        .map(created -> SubscriptionAnswer.withSecret(created, secret))
        .orElseThrow(
            () ->
                new ProblemException(
                    ProblemType.CONFLICT,
                    "There is a subscription %s already; change it with PATCH, or use another id"
                        .formatted(spec.id())));
  }

  private Optional<Subscription> insert(SubscriptionSpec spec, WebhookSecret secret) {
    Optional<Subscription> created = store.insert(spec, secret);
    created.ifPresent(
        subscription ->
            record(
                AuditAction.CREATE_SUBSCRIPTION,
                subscription.id(),
                SubscriptionChange.creation(subscription)));
    return created;
  }

  SubscriptionAnswer get(String id) {
    return store.find(id).map(this::answer).orElseThrow(() -> unknown(id));
  }

  Page<SubscriptionAnswer> list(@Nullable String tenant, PageRequest page) {
    return Page.of(answers(store.list(tenant, page)), page, SubscriptionAnswer::id);
  }

  /** Locks the row, so that of two changes at once neither undoes the other. */
  SubscriptionAnswer change(String id, JsonNode patch) {
    ReadOnlyFields.refuseInChange(patch);
    // By itself first: a null of an unknown field would vanish in the merge.
    SubscriptionBody change = json.read(patch, SubscriptionBody.class);
    return answer(inTransaction(() -> changeLocked(id, patch, change)));
  }

  private Subscription changeLocked(String id, JsonNode patch, SubscriptionBody change) {
    Subscription current = store.lock(id).orElseThrow(() -> unknown(id));
    JsonNode merged = MergePatch.apply(json.write(SubscriptionBody.under(change, current)), patch);
    SubscriptionSpec spec = rules.complete(json.read(merged, SubscriptionBody.class), id);
    Subscription changed = store.update(spec).orElseThrow(() -> unknown(id));
    Map<String, ?> detail = SubscriptionChange.between(told(current), told(changed));
    if (!detail.isEmpty()) {
      record(AuditAction.CHANGE_SUBSCRIPTION, id, detail);
    }
    return changed;
  }

  private JsonNode told(Subscription subscription) {
    return json.write(SubscriptionAnswer.of(subscription, EndpointAnswer.CLOSED));
  }

  /** What is queued for it is cancelled by the owner of its partition. */
  void delete(String id) {
    move(id, State.DELETED, null);
  }

  SubscriptionAnswer enable(String id) {
    move(id, State.ENABLED, null);
    return get(id);
  }

  /** A subscription that is disabled already keeps its first reason. */
  SubscriptionAnswer disable(String id, String reason) {
    if (reason.isBlank()
        || reason.length() > MAX_REASON_LENGTH
        || reason.chars().anyMatch(Character::isISOControl)) {
      throw ProblemException.invalid(
          "reason",
          "must have 1 to %d characters and no control characters".formatted(MAX_REASON_LENGTH));
    }
    move(id, State.DISABLED, reason);
    return get(id);
  }

  private void move(String id, State to, @Nullable String reason) {
    boolean unused =
        inTransaction(
            () -> {
              Subscription current = store.lock(id).orElseThrow(() -> unknown(id));
              boolean moved = store.move(id, to, reason);
              if (moved) {
                switch (to) {
                  case ENABLED ->
                      record(
                          AuditAction.ENABLE_SUBSCRIPTION,
                          id,
                          SubscriptionChange.enabling(current));
                  case DISABLED ->
                      record(
                          AuditAction.DISABLE_SUBSCRIPTION,
                          id,
                          Map.of("reason", Objects.requireNonNull(reason)));
                  case DELETED ->
                      record(
                          AuditAction.DELETE_SUBSCRIPTION, id, Map.of("tenant", current.tenant()));
                }
              }
              return moved;
            });
  }

  private void record(AuditAction action, String id, Map<String, ?> detail) {
    audit.record(action, "subscription/" + id, detail);
  }

  private <T> T inTransaction(Supplier<T> work) {
    return Objects.requireNonNull(transaction.execute(_ -> work.get()));
  }

  private SubscriptionAnswer answer(Subscription subscription) {
    return answers(List.of(subscription)).getFirst();
  }

  private List<SubscriptionAnswer> answers(List<Subscription> subscriptions) {
    Map<Long, EndpointAnswer> known =
        endpoints.read(subscriptions.stream().map(Subscription::pk).toList());
    return subscriptions.stream()
        .map(
            subscription ->
                SubscriptionAnswer.of(
                    subscription, known.getOrDefault(subscription.pk(), EndpointAnswer.CLOSED)))
        .toList();
  }

  private static WebhookSecret parse(String secret) {
    try {
      return WebhookSecret.parse(secret);
    } catch (IllegalArgumentException fault) {
      throw ProblemException.invalid("secret", "is not usable: " + fault.getMessage());
    }
  }

  private static ProblemException unknown(String id) {
    return new ProblemException(ProblemType.NOT_FOUND, "There is no subscription " + id);
  }
}
