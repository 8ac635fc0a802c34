// Reconciles an account in a database of yours: node main.mjs, with PIXGATE_URL, PIXGATE_CLIENT_ID, PIXGATE_CLIENT_SECRET.
// Run it as often as you like: each run reads what is new, and then says what does not agree.
import { DatabaseSync } from "node:sqlite";
import { Pixgate, toCentavos } from "@pixgate/sdk";

const { PIXGATE_URL, PIXGATE_CLIENT_ID, PIXGATE_CLIENT_SECRET, BOOKS = "books.db" } = process.env;
const pixgate = new Pixgate({ baseUrl: PIXGATE_URL, clientId: PIXGATE_CLIENT_ID, clientSecret: PIXGATE_CLIENT_SECRET });
const db = new DatabaseSync(BOOKS);
db.exec(`
  create table if not exists polls (began_at integer);
  create table if not exists transactions (id text primary key, wallet text, type text, reference text, effect integer, updated_at text);
  create table if not exists lines (wallet text, balance text, line integer, kind text, amount integer, balance_after integer,
    transaction_id text, primary key (wallet, balance, line))`);

/** What a transaction did to the total of its wallet, centavos. */
function effectOf({ status, type, direction, amount, feeAmount, withheldAmount = 0 }) {
  if (status !== "completed") return 0;
  const fee = type === "payment" ? toCentavos(feeAmount) + toCentavos(withheldAmount) : 0;
  return (direction === "in" ? 1 : -1) * toCentavos(amount) - fee;
}

/** The lines of a wallet that are new. Newest first: the first known one ends it, so they are stored together. */
async function pullLines(wallet, reference) {
  const [fresh, known] = [[], db.prepare("select 1 from lines where wallet = ? and balance = ? and line = ?")];
  for await (const one of wallet.statement.list({ limit: 100 })) {
    if (known.get(reference, one.balance, one.line)) break;
    fresh.push(one);
  }
  const insert = db.prepare("insert into lines values (?, ?, ?, ?, ?, ?, ?)");
  db.exec("begin");
  for (const { balance, line, kind, amount, balanceAfter, transactionId = null } of fresh)
    insert.run(reference, balance, line, kind, toCentavos(amount), toCentavos(balanceAfter), transactionId);
  db.exec("commit");
  const at = db.prepare("select balance_after from lines where wallet = ? and balance = 'available' and line = ?");
  return (lastLine) => (lastLine === 0 ? 0 : at.get(reference, lastLine)?.balance_after);
}

/** What has changed since the last run, in all wallets, and a minute more: clocks differ. */
async function pullTransactions() {
  const beganAt = Date.now();
  const { last } = db.prepare("select max(began_at) as last from polls").get();
  const updatedFrom = new Date(Math.max((last ?? 0) - 60_000, 0)).toISOString();
  const insert = db.prepare("insert or replace into transactions values (?, ?, ?, ?, ?, ?)");
  for await (const one of pixgate.transactions.list({ subAccount: "*", updatedFrom, limit: 100 }))
    insert.run(one.id, one.subAccount, one.type, one.externalReference ?? null, effectOf(one), one.updatedAt);
  db.prepare("insert into polls values (?)").run(beganAt);
}

const CHECKS = {
  "numbers of lines are missing": `select wallet, balance from lines group by wallet, balance having count(*) <> max(line)`,
  "a line belongs to no transaction": `select l.* from lines l left join transactions t on t.id = l.transaction_id where t.id is null`,
  "a transaction is not what its lines add up to": `select t.*, coalesce(sum(l.amount), 0) as booked from transactions t
     left join lines l on l.transaction_id = t.id and l.wallet = t.wallet group by t.id having booked <> t.effect`,
};

const wallets = new Map([["principal", pixgate]]);
for await (const { reference } of pixgate.subAccounts.list()) wallets.set(reference, pixgate.subAccount(reference));
const differences = [];
for (const [reference, wallet] of wallets) {
  const { balance } = await wallet.account.get();
  const balanceAt = await pullLines(wallet, reference);
  const booked = balanceAt(balance.lastLine);
  if (booked !== balance.available.amount) differences.push({ what: "a balance differs", reference, booked });
}
await pullTransactions();
for (const [what, sql] of Object.entries(CHECKS))
  for (const found of db.prepare(sql).all()) differences.push({ what, ...found });
for (const difference of differences) console.log(JSON.stringify(difference));
const { lines, transactions } = db
  .prepare("select (select count(*) from lines) as lines, (select count(*) from transactions) as transactions")
  .get();
console.log(
  `${wallets.size} wallets, ${lines} lines of ${transactions} transactions, ${differences.length} differences`,
);
process.exitCode = differences.length === 0 ? 0 : 1;
