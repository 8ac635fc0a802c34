// The order book: what the marketplace wants, and what Pixgate reports of it. Amounts are centavos.
import { DatabaseSync } from "node:sqlite";
import { centavos } from "./pixgate.mjs";

const SCHEMA = `
  pragma journal_mode = wal; pragma synchronous = full;
  create table if not exists settings (name text primary key, value text not null);
  create table if not exists sellers (reference text primary key);
  create table if not exists orders (
    id text primary key, wallet text not null, leg_wallet text not null, amount integer not null, leg integer not null);
  -- Calls that move money. A row is written before its call; its id is the Idempotency-Key: a repetition acts once.
  create table if not exists calls (
    id text primary key, order_id text, wallet text not null, amount integer not null, path text not null,
    body text not null, answer text, refusal text,
    transaction_id text as (coalesce(answer ->> 'refundTransactionId', answer ->> 'id')));
  -- What Pixgate reports: webhooks that wait, transactions as they are now, every line of every statement.
  create table if not exists inbox (event_id text primary key, wallet text, ids text, is_done integer default 0);
  create table if not exists transactions (
    id text primary key, wallet text not null, effect integer not null, body text not null,
    type text as (body ->> 'type'), status text as (body ->> 'status'), updated_at text as (body ->> 'updatedAt'),
    amount integer as (cast(round(body ->> 'amount' * 100) as integer)),
    returned integer as (cast(round(coalesce(body ->> 'returnedAmount', 0) * 100) as integer)),
    leg integer as (cast(round(coalesce(body ->> '$.split[0].amount', 0) * 100) as integer)));
  create table if not exists lines (
    wallet text, balance text, line integer, kind text, amount integer, balance_after integer, transaction_id text,
    primary key (wallet, balance, line));
  create index if not exists lines_by_transaction on lines (transaction_id);
  create view if not exists order_book as
    select o.*, coalesce(t.status, 'created') as status, c.refusal, c.transaction_id as charge_id, t.leg as applied_leg, t.returned,
           c.answer ->> 'pixCopyPaste' as pix, t.body ->> '$.refund.status' as refund, t.body ->> 'disputedAmount' as disputed
      from orders o left join calls c on c.id = 'charge-' || o.id left join transactions t on t.id = c.transaction_id;
`;

/** What a transaction has done to the total of its wallet. A payment's fee and withheld tax are part of it, other fees have their own. */
function effectOf({ status, type, direction, amount, feeAmount, withheldAmount = 0 }) {
  if (status !== "completed") return 0;
  return (
    (direction === "in" ? 1 : -1) * centavos(amount) -
    (type === "payment" ? centavos(feeAmount) + centavos(withheldAmount) : 0)
  );
}

export function openBook(file) {
  const db = new DatabaseSync(file);
  db.exec(SCHEMA);
  const book = {
    /** All of it or nothing, in one write to the disk. Nothing in it waits. */
    together(work) {
      db.exec("begin");
      work();
      db.exec("commit");
    },
    all: (sql, ...values) => db.prepare(sql).all(...values),
    get: (sql, ...values) => db.prepare(sql).get(...values),
    run: (sql, ...values) => db.prepare(sql).run(...values),
    setting: (name) => book.get("select value from settings where name = ?", name)?.value ?? null,
    set: (name, value) => book.run("insert or replace into settings values (?, ?)", name, value),
    want: (id, { order = null, wallet, amount, path, body }) =>
      book.run(
        "insert or ignore into calls (id, order_id, wallet, amount, path, body) values (?, ?, ?, ?, ?, ?)",
        ...[id, order, wallet, amount, path, JSON.stringify(body)],
      ),
    /** Webhook and poll bring a transaction in any order: the newest version stays. */
    saveTransaction: (one, wallet) =>
      book.run(
        `insert into transactions (id, wallet, effect, body) values (?, ?, ?, ?)
         on conflict (id) do update set effect = excluded.effect, body = excluded.body
         where excluded.updated_at >= transactions.updated_at`,
        ...[one.id, wallet, effectOf(one), JSON.stringify(one)],
      ),
  };
  return book;
}
