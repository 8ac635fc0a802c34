// Joins the order book with the statement, line by line.
import { centavos } from "./pixgate.mjs";

/** Reads the lines of a wallet that the book does not have: newest first, so up to the first one that it has. */
async function download(book, pixgate, wallet) {
  const fresh = [];
  const known = "select 1 from lines where wallet = ? and balance = ? and line = ?";
  for await (const one of pixgate.list("/statement", wallet)) {
    if (book.get(known, wallet, one.balance, one.line)) break;
    fresh.push(one);
  }
  const insert = "insert or ignore into lines values (?, ?, ?, ?, ?, ?, ?)";
  book.together(() => {
    for (const { balance, line, kind, amount, balanceAfter, transactionId = null } of fresh)
      book.run(insert, wallet, balance, line, kind, centavos(amount), centavos(balanceAfter), transactionId);
  });
}

/** Each query finds what must not be. */
const CHECKS = {
  "a line is missing": `select wallet, balance from lines group by wallet, balance having count(*) <> max(line)`,
  "lines do not add up": `select * from (select *, sum(amount) over (partition by wallet, balance order by line) as sum from lines)
      where sum <> balance_after`,
  "a line belongs to no transaction": `select l.* from lines l left join transactions t on t.id = l.transaction_id and t.wallet = l.wallet
      where t.id is null`,
  "a transaction and its lines differ": `select t.id, t.wallet, t.type, t.effect, coalesce(sum(l.amount), 0) as booked
      from transactions t left join lines l on l.transaction_id = t.id and l.wallet = t.wallet group by t.id having booked <> t.effect`,
  "a call is not in the books": `select c.id, c.amount, t.id as found, t.amount as booked from calls c left join transactions t on t.id = c.transaction_id
      where c.answer is not null and (t.id is null or t.wallet <> c.wallet or t.amount <> c.amount)`,
  "nobody asked for a transaction": `select t.id, t.wallet, t.type from transactions t
      where t.type in ('payment', 'refund', 'withdrawal') and t.id not in (select transaction_id from calls where answer is not null)`,
  "a leg is not the order's": `select id, leg, applied_leg from order_book where status = 'completed' and leg <> applied_leg`,
};

/** @returns what differs (nothing when all agree), and the total of each wallet. */
export async function reconcile(book, pixgate) {
  const sellers = book.all("select reference from sellers order by reference");
  const [differences, balances] = [[], {}];
  for (const wallet of ["principal", ...sellers.map(({ reference }) => reference)]) {
    const { balance } = await pixgate.call("GET", "/account", { wallet });
    await download(book, pixgate, wallet);
    balances[wallet] = balance.total.amount;
    // The balance is of one moment: that of the line at which it stood.
    const at = "select balance_after from lines where wallet = ? and balance = 'available' and line = ?";
    const booked = book.get(at, wallet, balance.lastLine)?.balance_after ?? 0;
    if (booked !== balance.available.amount) differences.push({ what: "the balance differs", wallet, booked });
  }
  for (const [what, sql] of Object.entries(CHECKS)) differences.push(...book.all(sql).map((row) => ({ what, ...row })));
  return { differences, balances, lines: book.get("select count(*) as count from lines").count };
}
