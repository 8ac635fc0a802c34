// What the marketplace does at Pixgate. Every step may be cut off anywhere and run again.
import { Refusal } from "./pixgate.mjs";

/** A poll reaches back behind the last one: clocks differ, and a change may become visible late. */
const OVERLAP_MS = 60_000;

export function createMarket(book, pixgate) {
  /** Sends what a row wants and stores the answer. A refusal ends it; without an answer the next turn repeats it. */
  async function send({ id, path, body, wallet }) {
    const options = { body: JSON.parse(body), wallet, key: id };
    try {
      const answer = await pixgate.call("POST", path, options);
      book.run("update calls set answer = ?, refusal = null where id = ?", JSON.stringify(answer), id);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      book.run("update calls set refusal = ? where id = ?", error.code, id);
    }
  }

  /** A seller is a sub-account. Opening one that is open is refused, which is as good. */
  async function openSeller(reference) {
    await pixgate.call("POST", "/sub-accounts", { body: { reference }, key: `seller-${reference}` }).catch((error) => {
      if (error.code !== "SUB_ACCOUNT_REFERENCE_TAKEN") throw error;
    });
    book.run("insert or ignore into sellers values (?)", reference);
  }

  /** Where a payment went back to its payer, whoever got a leg of it owes the same share to whoever charged. */
  function oweGiveBacks() {
    for (const order of book.all("select * from order_book where returned > 0 and applied_leg > 0")) {
      const owed = Math.floor((order.applied_leg * order.returned) / order.amount);
      const given = "select coalesce(sum(amount), 0) as sum from calls where path = '/transfers' and order_id = ?";
      const amount = owed - book.get(given, order.id).sum;
      const body = { subAccount: order.wallet, amount: amount / 100, externalReference: order.id };
      const call = { order: order.id, wallet: order.leg_wallet, amount, path: "/transfers", body };
      if (amount > 0) book.want(`give-back-${order.id}-${owed}`, call);
    }
  }

  /** A webhook says what has changed; reading the transaction says how it stands. */
  async function readInbox() {
    for (const event of book.all("select * from inbox where is_done = 0 limit 100")) {
      for (const id of JSON.parse(event.ids)) {
        const one = await pixgate.call("GET", `/transactions/${id}`, { wallet: event.wallet });
        book.saveTransaction(one, event.wallet);
      }
      book.run("update inbox set is_done = 1 where event_id = ?", event.event_id);
    }
  }

  /** Everything that has changed since the last poll, in all wallets. This alone settles every order. */
  async function poll() {
    const beganAt = Date.now();
    const since = new Date(Math.max(Number(book.setting("polled_at")) - OVERLAP_MS, 0)).toISOString();
    const changed = await Array.fromAsync(pixgate.list(`/transactions?subAccount=*&updatedFrom=${since}`));
    book.together(() => {
      for (const one of changed) book.saveTransaction(one, one.subAccount);
      book.set("polled_at", String(beganAt));
    });
  }

  /** One turn: whatever is left to do. A step that fails is left to the next turn. */
  async function turn(isPollDue) {
    oweGiveBacks();
    // A debt stays until its wallet has the money: every poll tries it again.
    const debts = "path = '/transfers' and refusal = 'INSUFFICIENT_BALANCE' and ?";
    const open = `select * from calls where answer is null and (refusal is null or ${debts})`;
    const calls = book.all(open, Number(isPollDue)).map((call) => () => send(call));
    for (const step of [...calls, readInbox, ...(isPollDue ? [poll] : [])]) {
      await step().catch((error) => console.error(`left to the next turn: ${error.message}`));
    }
  }

  return { turn, send, openSeller };
}
