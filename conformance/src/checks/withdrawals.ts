import { randomUUID } from "node:crypto";
import {
  type Check,
  centavos,
  check,
  isOneOf,
  isText,
  isTime,
  isUuid,
  must,
  mustAnswer,
  mustHave,
  mustRefuse,
  mustSucceed,
  Skip,
  type Target,
} from "../check.ts";
import type { Reply } from "../client.ts";
import { balanceOf, type Fields, isAbout, paidCharge, settle, withReceiver } from "../sandbox.ts";

export const HOLDER = {
  pixKey: "maria@example.com",
  pixKeyType: "email",
  holderName: "Maria Silva",
  holderDocument: "52998224725",
  holderDocumentType: "cpf",
};
/** A key whose withdrawals Pixgate's simulator leaves open until a call settles them. */
const HELD = { ...HOLDER, pixKey: "manual@pixgate.test" };
const AMOUNT = 2;

function send(target: Target, changes: object = {}, key: string = randomUUID()): Promise<Reply> {
  if (!target.money) throw new Skip("it sends money: add --money");
  const headers = { "idempotency-key": key };
  return target.client.call("POST", "/withdrawals", { ...HOLDER, amount: AMOUNT, ...changes }, { headers });
}

/** Requests a withdrawal from a wallet with enough money, and asserts that it is accepted. */
async function sent(target: Target, changes: object = {}, key?: string): Promise<Reply> {
  if (target.money) await paidCharge(target);
  const reply = await send(target, changes, key);
  mustSucceed(reply);
  return reply;
}

/** Makes a withdrawal end with this outcome; returns the data of the event that reports it. */
async function endWithdrawal(
  target: Target,
  outcomes: readonly ("complete" | "fail" | "reverse")[],
  kind: string,
  examine: (id: unknown, data: Fields) => Promise<void>,
): Promise<void> {
  await withReceiver(target, async ({ wait }) => {
    const { body } = await sent(target, HELD);
    for (const outcome of outcomes) await settle(target, body.id, outcome);
    const event = await wait(isAbout(kind, "withdrawalId", body.id));
    await examine(body.id, event.body.data as Fields);
  });
}

export const WITHDRAWALS: readonly Check[] = [
  check(
    "withdrawals.balance",
    "Validation failures (insufficient balance, limit exceeded, invalid data) are returned as an error on the call itself.",
    async (target) => {
      const before = await balanceOf(target, "available");
      const reply = await target.client.call("POST", "/withdrawals", { ...HOLDER, amount: 999_999_999 });
      must(reply.status === 400 || reply.status === 403, `POST /withdrawals answered ${reply.status}: ${reply.text}`);
      mustRefuse(reply, reply.status);
      mustRefuse(await target.client.call("POST", "/withdrawals", {}), 400);
      must((await balanceOf(target, "available")) === before, "a refused withdrawal changed the balance");
    },
  ),
  check(
    "withdrawals.created",
    "At creation it can be `pending` or `processing`. The response can already show `completed`.",
    async (target) => {
      if (!target.money) throw new Skip("it sends money: add --money");
      await paidCharge(target);
      const key = randomUUID();
      const before = await balanceOf(target, "available");
      const reply = await send(target, {}, key);
      mustSucceed(reply);
      mustHave(reply.body, "status", "pending, processing or completed", isOneOf("pending", "processing", "completed"));
      must((await send(target, {}, key)).text === reply.text, "the same key answered something else");
      const fell = before - (await balanceOf(target, "available"));
      must(fell === centavos(reply.body.amount), `the balance fell by ${fell} centavos, not by the amount, once`);
    },
  ),
  check("withdrawals.fields", "snapshotHolderName | string | holder name as stored at creation", async (target) => {
    const externalReference = `conformance-${randomUUID()}`;
    const { body } = await sent(target, { externalReference });
    mustHave(body, "id", "a UUID", isUuid);
    mustHave(body, "createdAt", "a date-time", isTime);
    mustHave(body, "snapshotHolderName", "as it was sent", isOneOf(HOLDER.holderName));
    mustHave(body, "snapshotHolderDocument", "as it was sent", isOneOf(HOLDER.holderDocument));
    mustHave(body, "snapshotPixKey", "as it was sent", isOneOf(HOLDER.pixKey));
    mustHave(body, "snapshotPixKeyType", "as it was sent", isOneOf(HOLDER.pixKeyType));
    mustHave(body, "externalReference", "as it was sent", isOneOf(externalReference));
    for (const field of ["failureReason", "pspReference"])
      mustHave(body, field, "a text or null", (value) => value === null || isText(value));
    const [amount, net, fee] = [body.amount, body.netAmount, body.feeAmount].map(centavos);
    must(amount === net! + fee!, "amount is not netAmount plus feeAmount");
  }),
  check(
    "withdrawals.key",
    "Optional header `Idempotency-Key` (string, 8 to 255 chars) on `POST /pix` and `POST /withdrawals`.",
    async (target) => {
      const key = randomUUID();
      await sent(target, {}, key);
      mustRefuse(await send(target, { amount: AMOUNT + 1 }, key), 422);
      mustRefuse(await send(target, {}, "x".repeat(7)), 400);
    },
  ),
  check(
    "withdrawals.look-up",
    "A withdrawal still processing, with no transaction yet, is also resolved by any of these.",
    async (target) => {
      const [key, externalReference] = [randomUUID(), `conformance-${randomUUID()}`];
      const { body } = await sent(target, { externalReference }, key);
      for (const name of [String(body.id), externalReference, key]) {
        const found = await target.client.call("GET", `/transactions/${name}`);
        mustAnswer(found, 200);
        mustHave(found.body, "type", "withdrawal", isOneOf("withdrawal"));
        must(centavos(found.body.amount) === centavos(body.amount), `${name} finds another amount`);
      }
    },
  ),
  check(
    "withdrawals.completed",
    "in progress | event `withdrawal_completed` | processed successfully | completed",
    (target) =>
      endWithdrawal(target, ["complete"], "withdrawal_completed", async (id, { status, amount }) => {
        must(status === "completed", `the event's status is ${String(status)}`);
        must(centavos(amount) === AMOUNT * 100, `the event's amount is ${String(amount)}`);
        const { body } = await target.client.call("GET", `/transactions/${String(id)}`);
        mustHave(body, "status", "completed", isOneOf("completed"));
      }),
  ),
  check(
    "withdrawals.failed",
    "in progress | event `withdrawal_failed` | rejected or failed | failed",
    async (target) => {
      const before = target.money ? await balanceOf(target, "total") : 0;
      await endWithdrawal(target, ["fail"], "withdrawal_failed", async (id, { status }) => {
        must(status === "failed", `the event's status is ${String(status)}`);
        const { body } = await target.client.call("GET", `/transactions/${String(id)}`);
        mustHave(body, "status", "failed", isOneOf("failed"));
        mustHave(body, "failureReason", "a text", isText);
        must((await balanceOf(target, "total")) >= before, "the money of a failed withdrawal did not come back");
      });
    },
  ),
  check("withdrawals.reversed", "completed | event `withdrawal_reversed` | reversed by the PSP | reversed", (target) =>
    endWithdrawal(target, ["complete", "reverse"], "withdrawal_reversed", async (_id, { status }) =>
      must(status === "reversed", `the event's status is ${String(status)}`),
    ),
  ),
];
