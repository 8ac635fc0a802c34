/** Webhooks: one of ours among those of the account, and what their bodies name. */
import { list, readAmount, record, text } from "../api-pix/read-values.ts";
import { foundIn, type OwnApi, outcomeOf } from "../own-api.ts";
import type { Notification, Psp } from "../psp.ts";
import { hasToken } from "./approvals.ts";
import { readAsaasId, readPage } from "./read-answers.ts";

/** By it ours is known among the webhooks of the account. */
const NAME = "Pixgate";
const MAX_URL = 2_048;
const EVENTS = [
  "PAYMENT_RECEIVED",
  "PAYMENT_REFUNDED",
  "PAYMENT_PARTIALLY_REFUNDED",
  "TRANSFER_DONE",
  "TRANSFER_FAILED",
  "TRANSFER_CANCELLED",
];

type Webhook = {
  readonly id: string;
  readonly url: string;
  readonly works: boolean;
  readonly events: readonly unknown[];
};

export function receiveNotifications(
  api: OwnApi,
  { email, token }: { readonly email: string | undefined; readonly token: string | undefined },
): Pick<Psp, "registerNotifications" | "findNotifications" | "readNotification" | "checkSignature"> {
  /** Ours; null where the account has none. */
  async function findOurs() {
    return foundIn(await api.call({ route: "webhook", method: "GET", path: "/webhooks?limit=100" }), (body) => {
      const page = readPage(body);
      if (page === null) return null;
      const ours = page.items.map(readWebhook).find((one) => one !== null);
      return ours === undefined && page.hasMore ? null : { webhook: ours ?? null };
    });
  }

  return {
    async registerNotifications(url) {
      const found = await findOurs();
      if (found.kind !== "found")
        return { kind: "unsent", reason: found.kind === "absent" ? "no_webhooks" : found.reason };
      const { webhook } = found.value;
      // Which token it has is not shown, so one with a token is registered anew.
      if (
        token === undefined &&
        webhook?.url === url &&
        webhook.works &&
        EVENTS.every((event) => webhook.events.includes(event))
      )
        return { kind: "accepted", value: null };
      const body = {
        ...{ name: NAME, url, ...(email !== undefined && { email }), enabled: true, interrupted: false, apiVersion: 3 },
        ...{ sendType: "NON_SEQUENTIALLY", events: EVENTS, ...(token !== undefined && { authToken: token }) },
      };
      const reply =
        webhook === null
          ? await api.call({ route: "webhook", method: "POST", path: "/webhooks", body })
          : await api.call({ route: "webhook", method: "PUT", path: `/webhooks/${webhook.id}`, body });
      return reply.kind === "ok" ? { kind: "accepted", value: null } : outcomeOf(reply, () => null);
    },
    async findNotifications() {
      const found = await findOurs();
      if (found.kind !== "found") return found;
      const { webhook } = found.value;
      // Asaas interrupts one after 15 failures: it is registered anew then.
      return webhook?.works ? { kind: "found", value: webhook.url } : { kind: "absent" };
    },
    readNotification,
    ...(token !== undefined && {
      checkSignature: async ({ headers }) => (hasToken(token, headers) ? ("valid" as const) : ("forged" as const)),
    }),
  };
}

function readWebhook(value: unknown): Webhook | null {
  const body = record(value);
  const [id, url] = [readAsaasId(body?.id), text(body?.url, MAX_URL)];
  if (body?.name !== NAME || id === undefined || url === undefined) return null;
  return { id, url, works: body.enabled === true && body.interrupted !== true, events: list(body.events) };
}

/** One event names one object: a Pix by Asaas's id of its transaction, a transfer by that of its own. */
function readNotification(value: unknown): readonly Notification[] {
  const body = record(value);
  const event = text(body?.event) ?? "";
  const payment = record(body?.payment);
  const pixId = readAsaasId(payment?.pixTransaction);
  if (pixId !== undefined && event.startsWith("PAYMENT_")) {
    const txid = text(payment?.externalReference, 64);
    const about = event.includes("REFUND") ? "return_moved" : "charge_paid";
    const returned = readReturned(event, payment);
    return [{ kind: "pix_named", about, pixId, ...(txid && { txid }), ...(returned > 0 && { returned }) }];
  }
  const payoutId = readAsaasId(record(body?.transfer)?.id);
  return payoutId !== undefined && event.startsWith("TRANSFER_") ? [{ kind: "payout_moved", payoutId }] : [];
}

/** The least that has gone back when this is sent: all of it, the refunds that it shows as done, or a part of any size. */
function readReturned(event: string, payment: Readonly<Record<string, unknown>> | undefined): number {
  if (event === "PAYMENT_REFUNDED") return readAmount(payment?.value) ?? 1;
  if (event !== "PAYMENT_PARTIALLY_REFUNDED") return 0;
  const done = list(payment?.refunds)
    .map(record)
    .filter((refund) => refund?.status === "DONE");
  return Math.max(
    1,
    done.reduce((sum, refund) => sum + (readAmount(refund?.value) ?? 0), 0),
  );
}
