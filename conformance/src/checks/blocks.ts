import { type Check, centavos, check, isOneOf, isText, isTime, isUuid, must, mustHave, type Target } from "../check.ts";
import { balanceOf, contest, type Fields, isAbout, paidCharge, resolve, withReceiver } from "../sandbox.ts";

/** Finds a block in the list. */
async function find({ client }: Target, id: unknown): Promise<Fields> {
  const { body } = await client.call("GET", "/balance-blocks");
  const found = (body.items as Fields[] | undefined)?.find((item) => item.id === id);
  must(found !== undefined, "the list does not have the block");
  return found;
}

/** Lets a payer contest a payment, and resolves the block. */
async function contestAndResolve(
  target: Target,
  outcome: "approved" | "rejected",
  examine: (lost: number, amount: number) => void,
): Promise<void> {
  await withReceiver(target, async ({ wait }) => {
    const charge = await paidCharge(target);
    const before = await balanceOf(target, "available");
    const block = await contest(target, charge.id);
    await resolve(target, block.id, outcome);
    await wait(isAbout(`balance_block_${outcome}`, "blockId", block.id));
    mustHave(await find(target, block.id), "status", outcome, isOneOf(outcome));
    examine(before - (await balanceOf(target, "available")), centavos(block.amount));
  });
}

export const BLOCKS: readonly Check[] = [
  check("blocks.list", "List envelope: `items` (array), `total` (integer).", async ({ client }) => {
    const { status, body } = await client.call("GET", "/balance-blocks");
    must(status === 200 && Array.isArray(body.items) && Number.isInteger(body.total), "the envelope is another one");
  }),
  check(
    "blocks.created",
    "balance_block_created | balance block created (MED, judicial, administrative)",
    async (target) => {
      await withReceiver(target, async ({ wait }) => {
        const charge = await paidCharge(target);
        const { id } = await contest(target, charge.id);
        await wait(isAbout("balance_block_created", "blockId", id));
        const block = await find(target, id);
        mustHave(block, "id", "a UUID", isUuid);
        mustHave(block, "transactionId", "the payment", isOneOf(charge.id));
        mustHave(block, "amount", "the payment's", isOneOf(charge.amount));
        mustHave(block, "status", "a status", isOneOf("awaiting_response", "defended", "approved", "rejected"));
        mustHave(block, "blockType", "a text", isText);
        mustHave(block, "createdAt", "a date-time", isTime);
      });
    },
  ),
  check("blocks.approved", "balance_block_approved | block approved; amount returned to the payer", (target) =>
    contestAndResolve(target, "approved", (lost, amount) =>
      must(lost === amount, `${lost} centavos are gone, not the ${amount} of the block`),
    ),
  ),
  check("blocks.rejected", "balance_block_rejected | block rejected; amount returned to the merchant", (target) =>
    contestAndResolve(target, "rejected", (lost) =>
      must(lost === 0, `${lost} centavos did not become available again`),
    ),
  ),
];
