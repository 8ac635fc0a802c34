// Who bears fee, refund and MED: an order of R$ 100.00 with a commission of R$ 12.00, charged by the marketplace and by the
// seller. PIXGATE_URL=… PIXGATE_CLIENT_ID=… PIXGATE_CLIENT_SECRET=… node main.mjs
import { addBrl, InsufficientBalanceError, Pixgate } from "@pixgate/sdk";

const { PIXGATE_URL, PIXGATE_CLIENT_ID, PIXGATE_CLIENT_SECRET } = process.env;
const pixgate = new Pixgate({ baseUrl: PIXGATE_URL, clientId: PIXGATE_CLIENT_ID, clientSecret: PIXGATE_CLIENT_SECRET });
const { reference } = await pixgate.subAccounts.create({ reference: `loja-${Date.now()}` });
const seller = pixgate.subAccount(reference);

const balanceOf = async (wallet) => (await wallet.account.get()).balance;
const totals = async () => [
  (await balanceOf(pixgate)).total.amountFormatted,
  (await balanceOf(seller)).total.amountFormatted,
];
const signed = (brl) => (brl === 0 ? "0" : `${brl > 0 ? "+" : ""}${brl.toFixed(2)}`);

/** Prints what `work` has changed in both wallets. */
async function row(what, work) {
  const before = await totals();
  const made = await work();
  const [marketplaces, sellers] = (await totals()).map((after, i) => addBrl(after, -before[i]));
  console.log(`| ${what} | ${signed(marketplaces)} | ${signed(sellers)} |`);
  return made;
}

async function pay(wallet, amount, split) {
  const charge = await wallet.charges.create({ amount, description: "An order", ...(split && { split }) });
  return wallet.sandbox.pay(charge.id);
}

async function refund(wallet, payment) {
  await wallet.refunds.create(payment.id);
  const { status } = await wallet.refunds.wait(payment.id);
  if (status !== "CONFIRMED") throw new Error(`the refund is ${status}`);
}

async function lose(wallet, payment) {
  const block = await wallet.sandbox.contest({ transactionId: payment.id });
  await wallet.balanceBlocks.defend(block.id, { text: "Delivered on the 20th, signed by the buyer." });
  await wallet.sandbox.resolveContest(block.id, { outcome: "approved" });
}

console.log("| what happens | marketplace | seller |\n|---|---|---|");
await row("the marketplace pays R$ 300.00 to itself", () => pay(pixgate, 300));
const ways = {
  marketplace: [pixgate, [{ subAccount: reference, amount: 88 }]],
  seller: [seller, [{ subAccount: "principal", amount: 12 }]],
};
for (const [who, [wallet, split]] of Object.entries(ways)) {
  const first = await row(`the ${who} charges: paid`, () => pay(wallet, 100, split));
  const second = await pay(wallet, 100, split);
  await row(`the ${who} charges: refunded`, () => refund(wallet, first));
  await row(`the ${who} charges: MED lost`, () => lose(wallet, second));
}

// The seller takes everything out, and then loses a dispute: its wallet is in debt.
const last = await pay(seller, 100, ways.seller[1]);
const { available } = await balanceOf(seller);
const to = { pixKey: "maria@example.com", pixKeyType: "email", holderName: "Maria Silva" };
const holder = { holderDocument: "52998224725", holderDocumentType: "cpf" };
await row("payout of all that the seller has", async () => {
  const made = await seller.withdrawals.create({ amount: available.amountFormatted, ...to, ...holder });
  await seller.withdrawals.wait(made.id);
});
await row("the seller charges: MED lost", () => lose(seller, last));
const refused = await seller.withdrawals.create({ amount: 10, ...to, ...holder }).catch((error) => error);
if (!(refused instanceof InsufficientBalanceError)) throw new Error("a wallet in debt has paid out");
const debt = -(await balanceOf(seller)).available.amountFormatted;
await row("the marketplace covers the debt", () => pixgate.transfers.create({ subAccount: reference, amount: debt }));
const [left] = (await totals()).slice(1);
if (addBrl(left, 0) !== 0) throw new Error(`the seller has ${left}`);
