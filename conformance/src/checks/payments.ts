import { randomUUID } from "node:crypto";
import { type Check, check, isOneOf, isText, isTime, must, mustHave, mustRefuse, mustSucceed, Skip } from "../check.ts";
import { ask, balanceOf, type Fields, isAbout, newSubAccount, paidCharge, pay, withReceiver } from "../sandbox.ts";

const PAYER = { name: "Maria Silva", document: "52998224725" };

export const PAYMENTS: readonly Check[] = [
  check("payments.completed", "`pending` | payment confirmed | payer pays | `completed`", async (target) => {
    const charge = await paidCharge(target);
    const { body } = await target.client.call("GET", `/transactions/${String(charge.id)}`);
    mustHave(body, "status", "completed", isOneOf("completed"));
    mustHave(body, "paidAt", "a date-time", isTime);
    for (const field of ["pixCopyPaste", "expiresAt"])
      must(!(field in body), `${field} is there, though only pending transactions have it`);
    must(!("failureReason" in body), "failureReason is there, though only what failed has it");
  }),
  check("payments.counterpart", "counterpart CPF or CNPJ, unmasked", async (target) => {
    const { body: charge } = await ask(target);
    await pay(target, charge.id, { payer: PAYER });
    const { body } = await target.client.call("GET", `/transactions/${String(charge.id)}`);
    mustHave(body, "counterpartName", "the payer's name", isOneOf(PAYER.name));
    mustHave(body, "counterpartDocument", "the payer's document", isOneOf(PAYER.document));
    mustHave(body, "e2eId", "an end-to-end id, since the PSP has confirmed", isText);
  }),
  check("payments.split", "The split happens at settlement, not at creation.", async (target) => {
    const subAccount = await newSubAccount(target);
    const { body } = await ask(target, { amount: 20, split: [{ subAccount, amount: 7.25 }] });
    must((await balanceOf(target, "total", subAccount)) === 0, "the share was there before the payment");
    await pay(target, body.id);
    const share = await balanceOf(target, "total", subAccount);
    must(share === 725, `the share is ${share} centavos, not 725`);
  }),
  check(
    "payments.originator",
    "It receives the gross amount, pays the full fee, then splits. The fee is not shared with recipients.",
    async (target) => {
      const subAccount = await newSubAccount(target);
      const gain = async (changes: object) => {
        const before = await balanceOf(target, "total");
        await paidCharge(target, { amount: 20, ...changes });
        return (await balanceOf(target, "total")) - before;
      };
      const [whole, shared] = [await gain({}), await gain({ split: [{ subAccount, amount: 7.25 }] })];
      must(shared === whole - 725, `a share of 725 centavos took ${whole - shared} from the originator`);
    },
  ),
  check(
    "payments.blocked",
    "The amount does not enter the balance, no fee applies, and it is returned to the payer automatically.",
    async (target) => {
      await withReceiver(target, async ({ wait }) => {
        const { body: charge } = await ask(target);
        const before = await balanceOf(target, "total");
        await pay(target, charge.id, { amount: 11 });
        const { body } = await target.client.call("GET", `/transactions/${String(charge.id)}`);
        if (body.status === "completed") throw new Skip("no call makes a payment that a policy blocks here");
        must((await balanceOf(target, "total")) === before, "a blocked deposit changed the balance");
        mustHave(body, "status", "failed", isOneOf("failed"));
        mustHave(body, "failureReason", "a text", isText);
        const { reason, refund } = (body.blockedDeposit ?? {}) as { reason?: unknown; refund?: Fields };
        must(isText(reason), `blockedDeposit.reason is ${JSON.stringify(reason)}`);
        mustHave(refund ?? {}, "status", "the state of the return", isOneOf("pending", "confirmed", "failed"));
        await wait(isAbout("payment_failed", "transactionId", charge.id));
      });
    },
  ),
  check("refunds.pending", "`PENDING` means the refund was accepted but is not yet confirmed.", async (target) => {
    const charge = await paidCharge(target);
    // The wallet must have what the fee took, otherwise it cannot refund the whole amount.
    await paidCharge(target);
    const reply = await target.client.call("POST", `/transactions/${String(charge.id)}/refund`, {
      reason: "conformance",
    });
    mustSucceed(reply);
    mustHave(reply.body, "originalTransactionId", "the payment", isOneOf(charge.id));
    mustHave(reply.body, "status", "PENDING or CONFIRMED", isOneOf("PENDING", "CONFIRMED"));
  }),
  check("refunds.refused", "Path: `id` is the ID of the payment transaction to refund.", async (target) => {
    const refund = (id: unknown, body: object = {}) =>
      target.client.call("POST", `/transactions/${String(id)}/refund`, body);
    mustRefuse(await refund(randomUUID()), 404);
    mustRefuse(await refund((await ask(target)).body.id), 400);
  }),
  check("refunds.reason", "`reason` (string, optional, max 255)", async (target) => {
    const charge = await paidCharge(target);
    await paidCharge(target);
    const refund = (reason: string) =>
      target.client.call("POST", `/transactions/${String(charge.id)}/refund`, { reason });
    mustRefuse(await refund("x".repeat(256)), 400);
    mustSucceed(await refund("x".repeat(255)));
  }),
  check(
    "refunds.originator",
    "Refunds and MED debits hit the originator only. A recipient of a share is never debited.",
    async (target) => {
      await withReceiver(target, async ({ wait }) => {
        const subAccount = await newSubAccount(target);
        const charge = await paidCharge(target, { amount: 20, split: [{ subAccount, amount: 7.25 }] });
        await paidCharge(target, { amount: 20 });
        mustSucceed(await target.client.call("POST", `/transactions/${String(charge.id)}/refund`, {}));
        await wait(isAbout("refund_completed", "originalTransactionId", charge.id));
        const share = await balanceOf(target, "total", subAccount);
        must(share === 725, `after the refund the share is ${share} centavos, not 725`);
      });
    },
  ),
];
