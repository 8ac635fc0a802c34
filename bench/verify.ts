/**
 * Ledger lines a second that `verify` checks in full. `node bench/verify.ts [--url postgres://…] [--lines 4000000]`; without a
 * url it starts the embedded PostgreSQL in a temporary folder. The books are those of paid charges with a fee and a split
 * leg each, over 100 tenants, with every row that goes with them; every tenth has a withdrawal too.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { INVARIANTS } from "../gateway/src/auditor/invariants/invariants.ts";
import { BOOKS } from "../gateway/src/auditor/source.ts";
import { verify } from "../gateway/src/auditor/verify.ts";
import { startEmbeddedPostgres } from "../gateway/src/db/embedded.ts";
import { migrate } from "../gateway/src/db/migrate.ts";
import { type Db, openDb } from "../gateway/src/db/pool.ts";
import { DIGEST_OF_ASKED } from "../gateway/src/lib/asked-digest.ts";
import { readOptions } from "../scripts/options.ts";

const values = readOptions(import.meta.url, {
  options: {
    url: { type: "string" },
    lines: { type: "string", default: "4000000" },
    each: { type: "boolean", default: false },
  },
});
/** One time for all: a line occurred when its object did, and not today, whose withdrawals would count for the limits. */
const NOW = "timestamptz '2026-01-01T12:00:00Z'";
const TENANTS = 100;
/** Of a paid charge: gross, fee and split leg, both sides; of a tenth of them also hold, payout and fee. */
const LINES_OF_CHARGE = 6.6;
const CHARGES = Math.ceil(Number(values.lines) / LINES_OF_CHARGE / TENANTS / 10) * 10;

/** Writes the books of all tenants as SQL sees them best: whole tables at once, each line from its number. */
async function write(db: Db): Promise<void> {
  const run = (text: string) => db.query({ text, values: [] });
  const id = (kind: string, tenant = "t", n = "i") =>
    `('00000000-0000-7000-${kind}-' || lpad(to_hex(${tenant}), 4, '0') || lpad(to_hex(${n}), 8, '0'))::uuid`;
  const account = id("8000", "t", "0");
  const shop = id("8001", "t", "0");
  const bank = id("8002", "0", "0");
  const [charge, withdrawal] = [id("9000"), id("9001")];
  const each = `from generate_series(1, ${TENANTS}) t, generate_series(1, ${CHARGES}) i`;
  const tenth = `${each} where i % 10 = 0`;
  await run(`insert into accounts (account_id, number, name, environment, status, charge_fee_fixed, created_at, updated_at)
    select ${account}, nextval('account_numbers'), 'bench', 'sandbox', 'approved', 50, ${NOW}, ${NOW} from generate_series(1, ${TENANTS}) t`);
  await run(`insert into wallets (account_id, wallet_id, reference, name, status, created_at, updated_at)
    select ${account}, w.id, w.reference, 'w', 'approved', ${NOW}, ${NOW} from generate_series(1, ${TENANTS}) t,
      lateral (values (${account}, 'principal'), (${shop}, 'loja')) w (id, reference)`);
  await run(`insert into webhook_endpoints (account_id, endpoint_id, wallet_id, url, sealed_secret, created_at, updated_at)
    select ${account}, ${id("8003", "t", "0")}, ${account}, 'https://a.example', 's', ${NOW}, ${NOW} from generate_series(1, ${TENANTS}) t`);
  // A charge of 1000 leaves 650; a withdrawal takes 200, of which 10 are the fee.
  const before = "(650 * (i - 1) - 200 * ((i - 1) / 10))";
  const seq = "(3 * (i - 1) + (i - 1) / 10)";
  await run(`insert into ledger_transfers (account_id, kind, source_id, leg, amount, from_no, from_seq, from_balance, to_no, to_seq,
      to_balance, occurred_at, booked_at)
    select ${account}, k.kind, ${charge}, 0, k.amount, k.from_no, k.from_seq, k.from_balance, k.to_no, k.to_seq, k.to_balance, ${NOW}, ${NOW}
    ${each}, lateral (values
      ('charge_paid', 1000, 1, i + i / 10 - case when i % 10 = 0 then 1 else 0 end, -1000 * i + 190 * ((i - 1) / 10), 2, ${seq} + 1, ${before} + 1000),
      ('charge_fee', 50, 2, ${seq} + 2, ${before} + 950, 3, i + (i - 1) / 10, 50 * i + 10 * ((i - 1) / 10)),
      ('charge_split', 300, 2, ${seq} + 3, ${before} + 650, 4, i, 300 * i)
    ) k (kind, amount, from_no, from_seq, from_balance, to_no, to_seq, to_balance)`);
  await run(`insert into ledger_transfers (account_id, kind, source_id, leg, amount, from_no, from_seq, from_balance, to_no, to_seq,
      to_balance, occurred_at, booked_at)
    select ${account}, k.kind, ${withdrawal}, 0, k.amount, k.from_no, k.from_seq, k.from_balance, k.to_no, k.to_seq, k.to_balance, ${NOW}, ${NOW}
    from generate_series(1, ${TENANTS}) t, generate_series(10, ${CHARGES}, 10) i, lateral (values
      ('withdrawal_held', 200, 2, ${seq} + 4, ${before} + 450, 5, 3 * (i / 10) - 2, 200),
      ('withdrawal_sent', 190, 5, 3 * (i / 10) - 1, 10, 1, i + i / 10, -1000 * i + 190 * (i / 10)),
      ('withdrawal_fee', 10, 5, 3 * (i / 10), 0, 3, i + i / 10, 50 * i + 10 * (i / 10))
    ) k (kind, amount, from_no, from_seq, from_balance, to_no, to_seq, to_balance)`);
  await run(`insert into booking_evidence (account_id, source_id, leg, kind, origin, institution_id, about, body, booked_at)
    select ${account}, ${charge}, 0, 'charge_paid', 'answer', ${bank}, 'E' || t || '.' || i, '{"endToEndId":"E' || t || '.' || i || '"}', ${NOW} ${each}`);
  await run(`insert into booking_evidence (account_id, source_id, leg, kind, origin, institution_id, about, body, booked_at)
    select ${account}, ${withdrawal}, 0, 'withdrawal_sent', 'answer', ${bank}, 'p', '{"idEnvio":"p"}', ${NOW} ${tenth}`);
  const n = CHARGES;
  await run(`insert into ledger_accounts (account_id, no, kind, owner_id, balance, seq)
    select ${account}, k.* from generate_series(1, ${TENANTS}) t, lateral (values
      (1, 'psp', ${bank}, -1000 * ${n} + 190 * ${n / 10}, ${n} + ${n / 10}),
      (2, 'available', ${account}, 650 * ${n} - 200 * ${n / 10}, 3 * ${n} + ${n / 10}),
      (3, 'fees', null, 50 * ${n} + 10 * ${n / 10}, ${n} + ${n / 10}),
      (4, 'available', ${shop}, 300 * ${n}, ${n}),
      (5, 'held', ${account}, 0, 3 * ${n / 10})) k`);
  const leg = `'[{"amount": 300, "reference": "loja", "walletId": "' || ${shop} || '"}]'`;
  await run(`insert into charges (account_id, charge_id, wallet_id, status, amount, description, institution_id, txid, expires_in,
      expires_at, fee_amount, net_amount, split, applied_split, paid_at, e2e_id, created_at, updated_at)
    select ${account}, ${charge}, ${account}, 'completed', 1000, 'bench', ${bank}, 'x' || t || '.' || i, 86400, ${NOW}, 50, 950, (${leg})::jsonb,
      '[300]', ${NOW}, 'E' || t || '.' || i, ${NOW}, ${NOW} ${each}`);
  await run(`insert into received_pix (account_id, e2e_id, pix_id, institution_id, charge_id, wallet_id, amount, outcome, paid_at, received_at)
    select ${account}, 'E' || t || '.' || i, ${id("9002")}, ${bank}, ${charge}, ${account}, 1000, 'credited', ${NOW}, ${NOW} ${each}`);
  await run(`insert into movements (account_id, movement_id, wallet_id, type, direction, amount, counterpart_wallet_id,
      counterpart_movement_id, cause_id, leg, created_at)
    select ${account}, ${id("9003")}, ${account}, 'internal_transfer', 'out', 300, ${shop}, ${id("9004")}, ${charge}, 0, ${NOW} ${each}`);
  await run(`insert into withdrawals (account_id, withdrawal_id, wallet_id, status, amount, fee_amount, net_amount, pix_key, pix_key_type,
      holder_name, holder_document, holder_document_type, asked_digest, institution_id, psp_id, settled_at, processed_at, counted_at, created_at, updated_at)
    select ${account}, ${withdrawal}, ${account}, 'completed', 200, 10, 190, 'k', 'email', 'h', 'd', 'cpf', '', ${bank}, 'p', ${NOW}, ${NOW}, ${NOW}, ${NOW}, ${NOW} ${tenth}`);
  await run(`insert into events (account_id, event_id, wallet_id, kind, body, created_at)
    select ${account}, (${charge})::text, ${account}, 'payment_completed', '{}', ${NOW} ${each}`);
  await run(`update withdrawals set asked_digest = ${DIGEST_OF_ASKED}`);
  await run(`insert into events (account_id, event_id, wallet_id, kind, body, created_at)
    select ${account}, (${withdrawal})::text, ${account}, 'withdrawal_completed', '{}', ${NOW} ${tenth}`);
  await run(`insert into deliveries (account_id, delivery_id, event_id, endpoint_id, status, attempts, created_at, finished_at)
    select ${account}, ${id("9005")}, (${charge})::text, ${id("8003", "t", "0")}, 'delivered', 1, ${NOW}, ${NOW} ${each}`);
  await run("analyze");
}

const folder = mkdtempSync(join(tmpdir(), "pixgate-bench-verify-"));
const server = values.url ? null : await startEmbeddedPostgres({ dataDir: join(folder, "postgres"), log: () => {} });
const db = openDb({ url: values.url ?? server!.url, max: 2, onError: () => {} });
try {
  await migrate(db, () => new Date());
  await db.query({ text: "set statement_timeout = 0", values: [] });
  const { rows } = await db.query<{ n: number }>({ text: "select count(*) as n from ledger_transfers", values: [] });
  if (rows[0]!.n === 0)
    await db.transaction(async (tx) => {
      await tx.query({ text: "set local statement_timeout = 0", values: [] });
      await write({ ...db, ...tx });
    });
  const began = performance.now();
  if (values.each) {
    for (const { name, query } of INVARIANTS) {
      const at = performance.now();
      await db.query(query(BOOKS));
      console.log(name, Math.round(performance.now() - at));
    }
  }
  const at = performance.now();
  const { ok, lines, violations } = await db.transaction((tx) => verify(tx));
  const seconds = (performance.now() - at) / 1000;
  console.log({
    ok,
    lines,
    seconds: Number(seconds.toFixed(1)),
    linesPerSecond: Math.round(lines / seconds),
    all: Math.round(performance.now() - began),
  });
  if (!ok) console.log(violations.slice(0, 10));
} finally {
  await db.end();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}
