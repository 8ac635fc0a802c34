import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type Check, centavos, check, isOneOf, isTime, isUuid, must, mustHave, mustSucceed } from "../check.ts";
import {
  ask,
  type Delivery,
  expire,
  type Fields,
  isAbout,
  newSubAccount,
  paidCharge,
  pay,
  withReceiver,
} from "../sandbox.ts";

const dataOf = ({ body }: Delivery): Fields => body.data as Fields;
/** Most deliveries whose pauses between attempts are measured. */
const MEASURED = 3;
/** What is wrong with the first two pauses, milliseconds; null: nothing. */
function wrongPauses(pause: number, longer: number): string | null {
  if (pause < 1_000 || pause > 10_000) return `the first pause is ${Math.round(pause)} ms, not about 2 s`;
  return longer > pause ? null : `the second pause is ${Math.round(longer)} ms, the first ${Math.round(pause)} ms`;
}
const isPaid = (id: unknown) => isAbout("payment_completed", "transactionId", id);

export const EVENTS: readonly Check[] = [
  check("events.payment", "netAmount | number | amount minus feeAmount", async (target) => {
    await withReceiver(target, async ({ wait }) => {
      const sent = { metadata: { run: randomUUID() }, externalReference: `conformance-${randomUUID()}` };
      const charge = await paidCharge(target, sent);
      const data = dataOf(await wait(isPaid(charge.id)));
      mustHave(data, "status", "completed", isOneOf("completed"));
      mustHave(data, "environment", "production or sandbox", isOneOf("production", "sandbox"));
      mustHave(data, "currency", "BRL", isOneOf("BRL"));
      mustHave(data, "paymentMethod", "pix", isOneOf("pix"));
      mustHave(data, "completedAt", "a date-time", isTime);
      mustHave(data, "externalReference", "as it was sent", isOneOf(sent.externalReference));
      must(isDeepStrictEqual(data.metadata, sent.metadata), "metadata is not as it was sent");
      must(!("split" in data), "split is there, though the charge had none");
      const [amount, fee, net] = [data.amount, data.feeAmount, data.netAmount].map(centavos);
      // An extension: what a bank keeps back as tax.
      const withheld = centavos(data.withheldAmount ?? 0);
      must(amount === centavos(charge.amount), `amount is ${String(data.amount)}`);
      must(net === amount! - fee! - withheld!, "netAmount is not amount minus feeAmount");
    });
  }),
  check("events.envelope", "eventId | string | unique event ID, usually the transaction ID", async (target) => {
    await withReceiver(target, async ({ wait }) => {
      const charge = await paidCharge(target);
      const { body } = await wait(isPaid(charge.id));
      mustHave(body, "eventId", "the transaction's id", isOneOf(charge.id));
      mustHave(body, "timestamp", "a date-time", isTime);
      mustHave(body, "subAccount", "null, for the main account", isOneOf(null));
    });
  }),
  check(
    "events.headers",
    "X-Service-Timestamp | delivery time in milliseconds since the Unix epoch",
    async (target) => {
      await withReceiver(target, async ({ wait }) => {
        const { headers } = await wait(isPaid((await paidCharge(target)).id));
        must(headers["x-service-event"] === "payment_completed", "X-Service-Event is not the event's kind");
        must(isUuid(headers["x-service-webhook-id"]), "X-Service-Webhook-ID is not a UUID");
        must(/^Service-Webhook\/1\.0/.test(headers["user-agent"] ?? ""), `User-Agent is ${headers["user-agent"]}`);
        must(/^application\/json\b/.test(headers["content-type"] ?? ""), `it is ${headers["content-type"]}`);
        must(/^\d{13}$/.test(String(headers["x-service-timestamp"])), "X-Service-Timestamp is not in milliseconds");
      });
    },
  ),
  check(
    "events.signature",
    "Compute HMAC-SHA256 over the raw request body, using the endpoint's secret as key.",
    async (target) => {
      await withReceiver(target, async ({ secret, wait }) => {
        const { headers, raw } = await wait(isPaid((await paidCharge(target)).id));
        const expected = Buffer.from(`sha256=${createHmac("sha256", secret).update(raw).digest("hex")}`);
        const given = Buffer.from(String(headers["x-service-signature"]));
        const fits = given.length === expected.length && timingSafeEqual(given, expected);
        must(fits, "X-Service-Signature is another one");
      });
    },
  ),
  check(
    "events.split",
    "split actually applied, in BRL; `subAccount` is the destination `reference` or `principal`; present only when there was a split",
    async (target) => {
      await withReceiver(target, async ({ wait }) => {
        const split = [{ subAccount: await newSubAccount(target), amount: 3.15 }];
        const { split: applied } = dataOf(await wait(isPaid((await paidCharge(target, { split })).id)));
        must(isDeepStrictEqual(applied, split), `split is ${JSON.stringify(applied)}`);
      });
    },
  ),
  check(
    "events.sub-account",
    "If a sub-account has no endpoint of its own, its events go to the main account's endpoints.",
    async (target) => {
      await withReceiver(target, async ({ wait }) => {
        const subAccount = await newSubAccount(target);
        const headers = { "x-sub-account": subAccount };
        const { body: charge } = await ask(target, {}, headers);
        await pay(
          {
            ...target,
            client: {
              ...target.client,
              call: (method, path, body) => target.client.call(method, path, body, { headers }),
            },
          },
          charge.id,
        );
        const { body } = await wait(isPaid(charge.id));
        mustHave(body, "subAccount", `the reference ${subAccount}`, isOneOf(subAccount));
      });
    },
  ),
  check(
    "events.expired",
    "for `payment_expired` it has the form `payment_expired_<transaction_id>`",
    async (target) => {
      await withReceiver(target, async ({ wait }) => {
        const { body: charge } = await ask(target);
        await expire(target, charge.id);
        const event = await wait(isAbout("payment_expired", "transactionId", charge.id));
        mustHave(event.body, "eventId", "of that form", isOneOf(`payment_expired_${String(charge.id)}`));
        const data = dataOf(event);
        mustHave(data, "status", "expired", isOneOf("expired"));
        mustHave(data, "amount", "the charge's", isOneOf(charge.amount));
        mustHave(data, "feeAmount", "0", isOneOf(0));
        mustHave(data, "netAmount", "0", isOneOf(0));
        mustHave(data, "currency", "BRL", isOneOf("BRL"));
        mustHave(data, "paymentMethod", "pix", isOneOf("pix"));
        mustHave(data, "expiredAt", "a date-time", isTime);
      });
    },
  ),
  check("events.refund", "`netAmount` is what the end customer receives, the full refund amount.", async (target) => {
    await withReceiver(target, async ({ wait }) => {
      const charge = await paidCharge(target);
      await paidCharge(target);
      mustSucceed(await target.client.call("POST", `/transactions/${String(charge.id)}/refund`, {}));
      const data = dataOf(await wait(isAbout("refund_completed", "originalTransactionId", charge.id)));
      mustHave(data, "netAmount", "the whole payment", isOneOf(charge.amount));
    });
  }),
  check(
    "events.retry",
    "When the endpoint does not answer 2xx, delivery is retried: 5 attempts in total with exponential backoff, initial interval 2 seconds, maximum interval about 30 seconds.",
    async (target) => {
      await withReceiver(target, async ({ answers, received, until }) => {
        let wrong: string | null = null;
        // A busy machine lengthens pauses: it is enough that one delivery of three keeps them.
        for (let measured = 0; measured < MEASURED && (measured === 0 || wrong !== null); measured += 1) {
          answers.push(500, 500);
          const { id } = await paidCharge(target);
          const attempts = () => received.filter(({ body }) => isPaid(id)(body));
          await until(() => attempts().length >= 3);
          const [first, second, third] = attempts() as [Delivery, Delivery, Delivery];
          for (const again of [second, third]) must(again.raw.equals(first.raw), "a later attempt has another body");
          wrong = wrongPauses(second.arrivedAt - first.arrivedAt, third.arrivedAt - second.arrivedAt);
        }
        must(wrong === null, wrong ?? "");
      });
    },
  ),
];
