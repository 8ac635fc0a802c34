import type pg from "pg";
import { openDb } from "../gateway/src/db/pool.ts";
import { find } from "../gateway/src/search/find.ts";
import { readQuestion } from "../gateway/src/search/question.ts";
import { writeInBulk } from "./harness/history.ts";
import { percentile } from "./harness/load.ts";
import { figure } from "./harness/result.ts";
import type { Benchmark } from "./harness/stage.ts";
import { CODE, institutionId, makePayees, type Payee } from "./harness/tenants.ts";

const TENANTS = 100;
/** The time over which the charges were made, milliseconds. */
const SPAN = 100 * 86_400_000;
/** Centavos: every amount from R$ 10.00 to R$ 1,009.99 comes as often. */
const [LEAST, AMOUNTS] = [1_000, 100_000];
/** Searches of each kind in a round. */
const SEARCHES = 20;
/** Milliseconds that a person does not notice. */
const BAR = 100;

/** A charge that is searched for. */
type Charge = {
  readonly id: string;
  readonly e2eId: string;
  readonly reference: string;
  readonly document: string;
  readonly email: string;
  readonly amount: number;
  readonly day: string;
};

/** What is typed for a charge. */
const QUESTIONS: Readonly<Record<string, (charge: Charge) => string>> = {
  "end-to-end id": ({ e2eId }) => e2eId,
  id: ({ id }) => id,
  reference: ({ reference }) => reference,
  CPF: ({ document }) => document,
  "e-mail": ({ email }) => email,
  "amount and day": ({ amount, day }) => `${(amount / 100).toFixed(2)} ${day}`,
  "nothing that exists": ({ reference }) => `${reference}-x`,
};

/** A search over all accounts, as the operator's route runs it, among ten million paid charges of a hundred tenants. */
export const search: Benchmark = {
  name: "search",
  async run(stage) {
    const { rounds, scale } = stage.pace;
    const charges = Math.max(10_000, Math.round(stage.lines * scale));
    const url = await stage.database();
    const db = openDb({ url, max: 4, onError: () => {} });
    stage.after(() => db.end());
    const payees = await makePayees(db, { tenants: TENANTS });
    const began = performance.now();
    await writeInBulk(url, ["charges", "received_pix"], (client) => writePaid(client, payees, charges));
    const wrote = (performance.now() - began) / 1_000;
    const problems: string[] = [];
    const times = new Map(Object.keys(QUESTIONS).map((kind) => [kind, [] as Float64Array[]]));
    for (let round = 0; round < rounds; round += 1) {
      for (const [kind, typed] of Object.entries(QUESTIONS)) {
        const latencies = new Float64Array(SEARCHES);
        for (let i = 0; i < SEARCHES; i += 1) {
          const charge = await anyCharge(db, charges);
          const question = readQuestion(typed(charge), new Date());
          const from = performance.now();
          const { rows: found } = await find(db, null, question);
          latencies[i] = performance.now() - from;
          if (found.some(({ id }) => id === charge.id) === (kind === "nothing that exists"))
            problems.push(`a search by ${kind} found ${found.length} rows, for the charge ${charge.id}`);
        }
        times.get(kind)!.push(latencies.sort());
      }
    }
    const of = (kind: string, part: number) => times.get(kind)!.map((latencies) => percentile(latencies, part));
    return {
      figures: [
        figure(`${charges.toLocaleString("en-US")} paid charges made in`, "s", [wrote]),
        ...Object.keys(QUESTIONS).flatMap((kind) => [
          figure(`by ${kind}, p50`, "ms", of(kind, 0.5), { bar: { of: "value", most: BAR } }),
          figure(`by ${kind}, slowest`, "ms", of(kind, 1)),
        ]),
      ],
      curves: [],
      problems,
    };
  },
};

async function anyCharge(db: ReturnType<typeof openDb>, charges: number): Promise<Charge> {
  const reference = `pedido-${1 + Math.floor(Math.random() * charges)}`;
  const { rows } = await db.query<Charge>({
    text: `select c.charge_id as id, c.e2e_id as "e2eId", c.external_reference as reference, c.counterpart_document as document,
        c.customer ->> 'email' as email, c.amount, to_char(c.created_at at time zone 'America/Sao_Paulo', 'YYYY-MM-DD') as day
      from accounts a join charges c on c.account_id = a.account_id and c.wallet_id = a.account_id and c.external_reference = $1`,
    values: [reference],
  });
  return rows[0]!;
}

/** The check digit of a CPF: `sum` is of its digits, each by its weight. */
const checkDigit = (sum: string): string => `(((${sum}) * 10) % 11 % 10)`;

/** Writes paid charges in the order of their times, each of the next tenant and by a payer of its own, with their receipts. */
async function writePaid(client: pg.Client, payees: readonly Payee[], charges: number): Promise<void> {
  const step = Math.floor(SPAN / charges);
  const base = Date.now() - SPAN;
  await client.query("create temporary table payees (n int primary key, account_id uuid)");
  await client.query("insert into payees select o - 1, id from unnest($1::uuid[]) with ordinality as u (id, o)", [
    payees.map(({ accountId }) => accountId),
  ]);
  const ms = `(${base} + i * ${step}::bigint)`;
  const uuid = (mark: string) => `(lpad(to_hex(${ms}), 12, '0') || '7${mark}8' || lpad(to_hex(i), 15, '0'))::uuid`;
  const digit = (k: number) => `(i / ${10 ** (8 - k)} % 10)`;
  const sum = (from: number) => Array.from({ length: 9 }, (_, k) => `${digit(k)} * ${from - k}`).join(" + ");
  const first = checkDigit(sum(10));
  const cpf = `lpad(i::text, 9, '0') || ${first} || ${checkDigit(`${sum(11)} + ${first} * 2`)}`;
  const each = `from generate_series(1, ${charges}) i join payees p on p.n = i % ${payees.length}`;
  const [e2e, at] = [`'E00000000' || lpad(i::text, 23, '0')`, `to_timestamp(${ms} / 1000.0)`];
  const amount = `${LEAST} + i::bigint * 7919 % ${AMOUNTS}`;
  await client.query(`
    insert into charges (account_id, charge_id, wallet_id, status, amount, description, external_reference, institution_id, txid,
      expires_in, expires_at, pix_copy_paste, fee_amount, net_amount, paid_at, e2e_id, counterpart_name, counterpart_document,
      customer, created_at, updated_at)
    select p.account_id, ${uuid("000")}, p.account_id, 'completed', ${amount}, 'Pedido ' || i, 'pedido-' || i, '${institutionId}',
      lpad(to_hex(i), 32, '0'), 86400, ${at} + interval '1 day', '${CODE}', 0, ${amount}, ${at}, ${e2e}, 'Cliente ' || i, ${cpf},
      jsonb_build_object('name', 'Cliente ' || i, 'document', ${cpf}, 'email', 'cliente' || i || '@example.com'), ${at}, ${at}
    ${each}`);
  await client.query(`
    insert into received_pix (account_id, e2e_id, pix_id, institution_id, charge_id, wallet_id, amount, outcome, payer_name,
      payer_document, paid_at, received_at)
    select p.account_id, ${e2e}, ${uuid("001")}, '${institutionId}', ${uuid("000")}, p.account_id, ${amount}, 'credited',
      'Cliente ' || i, ${cpf}, ${at}, ${at} ${each}`);
}
