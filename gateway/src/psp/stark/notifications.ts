/** Notifications: registers one webhook for the events of transfers, and reads which transfer an event is about. */
import { list, record, text } from "../api-pix/read-values.ts";
import type { Found } from "../outcome.ts";
import { foundIn, type OwnApi, outcomeOf } from "../own-api.ts";
import type { Notification, Psp } from "../psp.ts";
import { payoutIdOf } from "./read-answers.ts";

const PATH = "/v2/webhook";
const SUBSCRIPTION = "transfer";

type Registered = { readonly id: string; readonly url: string };

export function receiveNotifications(api: OwnApi): Pick<Psp, "registerNotifications" | "findNotifications"> {
  const ask = async (): Promise<Found<readonly Registered[]>> =>
    foundIn(await api.call({ route: "getWebhook", method: "GET", path: `${PATH}?limit=100` }), readWebhooks);

  return {
    async registerNotifications(url) {
      const known = await ask();
      if (known.kind === "unknown") return known;
      const all = known.kind === "found" ? known.value : [];
      if (!all.some((one) => one.url === url)) {
        const body = { url, subscriptions: [SUBSCRIPTION] };
        const made = outcomeOf(await api.call({ route: "putWebhook", method: "POST", path: PATH, body }), (answer) =>
          text(record(record(answer)?.webhook)?.id) === undefined ? null : true,
        );
        if (made.kind !== "accepted") return made;
      }
      // Our webhooks of earlier addresses are removed after the new one is there, so that no event is missed. Others in the
      // account belong to other programs.
      for (const { id } of all.filter((one) => one.url !== url && placeOf(one.url) === placeOf(url))) {
        const path = `${PATH}/${encodeURIComponent(id)}`;
        const removed = outcomeOf(await api.call({ route: "deleteWebhook", method: "DELETE", path }), () => true);
        if (removed.kind !== "accepted" && removed.kind !== "rejected") return removed;
      }
      return { kind: "accepted", value: null };
    },

    /** The newest webhook with one of our paths, else the newest: other programs may have webhooks in the account. */
    async findNotifications() {
      const known = await ask();
      if (known.kind !== "found") return known;
      const isOfPixgate = ({ url }: Registered) => URL.canParse(url) && new URL(url).pathname.includes("/psp/");
      const url = (known.value.find(isOfPixgate) ?? known.value.at(0))?.url;
      return url === undefined ? { kind: "absent" } : { kind: "found", value: url };
    },
  };
}

/** An address up to its last part, which is a secret that changes. */
function placeOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname } = new URL(url);
  return origin + pathname.slice(0, pathname.lastIndexOf("/"));
}

/** The webhooks that report transfers; null where the answer is no list. */
function readWebhooks(value: unknown): readonly Registered[] | null {
  const webhooks = record(value)?.webhooks;
  if (!Array.isArray(webhooks)) return null;
  return webhooks.flatMap((item) => {
    const { id, url, subscriptions } = record(item) ?? {};
    const [webhookId, at] = [text(id), text(url, 2048)];
    const isOurs = list(subscriptions).includes(SUBSCRIPTION) && webhookId !== undefined && at !== undefined;
    return isOurs ? [{ id: webhookId, url: at }] : [];
  });
}

/** Events before a transfer's end: a query would show nothing new. */
const UNDER_WAY: ReadonlySet<unknown> = new Set(["created", "processing", "sending"]);

/** An event names its transfer by our id or, where that is left out, by our tag. */
export function readNotification(value: unknown): readonly Notification[] {
  const log = record(record(record(value)?.event)?.log);
  if (log === undefined || UNDER_WAY.has(log.type)) return [];
  const payoutId = payoutIdOf(log.transfer);
  return payoutId === undefined ? [] : [{ kind: "payout_moved", payoutId }];
}
