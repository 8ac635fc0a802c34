/** Registers the address of notifications: one webhook for each event. */
import { list, record, text } from "../api-pix/read-values.ts";
import type { Found } from "../outcome.ts";
import { foundIn, type OwnApi, outcomeOf } from "../own-api.ts";
import type { Psp } from "../psp.ts";

/** By which ours are known among the account's. */
const NAME = "pixgate";

const EVENTS = [
  // Of every Pix, with a charge or without.
  "OPENPIX:TRANSACTION_RECEIVED",
  "PIX_TRANSACTION_REFUND_SENT_CONFIRMED",
  "PIX_TRANSACTION_REFUND_SENT_REJECTED",
  "PIX_TRANSACTION_REFUND_RECEIVED_CONFIRMED",
  "OPENPIX:MOVEMENT_CONFIRMED",
  "OPENPIX:MOVEMENT_FAILED",
  "OPENPIX:MOVEMENT_REMOVED",
  "OPENPIX:DISPUTE_CREATED",
  "OPENPIX:DISPUTE_ACCEPTED",
  "OPENPIX:DISPUTE_REJECTED",
  "OPENPIX:DISPUTE_CANCELED",
] as const;

type Registered = { readonly id: string; readonly event: string; readonly url: string };

export function receiveNotifications(api: OwnApi): Pick<Psp, "registerNotifications" | "findNotifications"> {
  const ask = async (): Promise<Found<readonly Registered[]>> => {
    const reply = await api.call({ route: "getWebhook", method: "GET", path: "/api/v1/webhook" });
    return foundIn(reply, readOurs);
  };

  return {
    async registerNotifications(url) {
      const ours = await ask();
      if (ours.kind === "unknown") return ours;
      const known = ours.kind === "found" ? ours.value : [];
      for (const event of EVENTS) {
        if (known.some((one) => one.event === event && one.url === url)) continue;
        const body = { webhook: { name: NAME, event, url, authorization: NAME, isActive: true } };
        const reply = await api.call({ route: "putWebhook", method: "POST", path: "/api/v1/webhook", body });
        const made = outcomeOf(reply, (answer) => record(record(answer)?.webhook) ?? null);
        if (made.kind !== "accepted") return made;
      }
      // After the new ones, so that no moment is without: those of an earlier address.
      for (const { id, url: earlier } of known.filter((one) => one.url !== url)) {
        const path = `/api/v1/webhook/${encodeURIComponent(id)}`;
        const removed = outcomeOf(await api.call({ route: "deleteWebhook", method: "DELETE", path }), () => earlier);
        if (removed.kind !== "accepted" && removed.kind !== "rejected") return removed;
      }
      return { kind: "accepted", value: null };
    },

    async findNotifications() {
      const ours = await ask();
      if (ours.kind !== "found") return ours;
      const urls = new Set(ours.value.map(({ url }) => url));
      // One address with every event, or none of which it can be said that notifications go there.
      const whole = [...urls].find((url) =>
        EVENTS.every((event) => ours.value.some((one) => one.event === event && one.url === url)),
      );
      return whole === undefined ? { kind: "absent" } : { kind: "found", value: whole };
    },
  };
}

/** Our active webhooks; null where the answer is no list. */
function readOurs(value: unknown): readonly Registered[] | null {
  const webhooks = record(value)?.webhooks;
  if (!Array.isArray(webhooks)) return null;
  return list(webhooks).flatMap((item) => {
    const { id, event, url, name, isActive } = record(item) ?? {};
    const [webhookId, at] = [text(id), text(url, 2048)];
    if (name !== NAME || isActive === false || webhookId === undefined || at === undefined) return [];
    return [{ id: webhookId, event: text(event) ?? "", url: at }];
  });
}
