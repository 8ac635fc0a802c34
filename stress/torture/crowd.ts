import { uuids } from "../../gateway/src/db/arrays.ts";
import type { Queries } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import { accountNumberOf } from "../../gateway/src/http/auth.ts";
import { parseTxid, txidFor } from "../../gateway/src/lib/ids.ts";
import { type OtherBank, type PspEntry, useOnly } from "./banks.ts";
import { createDesk, type Scene } from "./desk.ts";
import type { MerchantCall } from "./merchant-call.ts";

/** One of many accounts, each of which sells now and then. */
type Tenant = {
  readonly accountId: string;
  readonly number: number;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The institution at which it sells; null: the first one. */
  readonly bank: OtherBank | null;
};

/** The accounts of the crowd, and every call that they made. */
type CrowdLog = {
  readonly tenants: Tenant[];
  readonly calls: (MerchantCall & { readonly accountId: string })[];
};

/** Accounts that are made concurrently. */
const MAKING = 6;

/**
 * Makes accounts with a credential each, in turn at each institution. An account whose creation was not answered is not
 * used.
 */
export async function gatherCrowd(
  scene: Scene,
  count: number,
  banks: readonly (OtherBank | null)[],
): Promise<CrowdLog> {
  const tenants: Tenant[] = [];
  let begun = 0;
  const finding = createDesk(scene, "gathering", "operator");
  const { body } = await finding.insist<{ items: { id: string }[] }>((client) => client.get("/institutions"));
  const institutions = body.items.map(({ id: institutionId }) => ({ institutionId }));
  const isOther = (id: string) => banks.some((bank) => bank?.institutionId === id);
  const first = institutions.find(({ institutionId }) => !isOther(institutionId))!;
  await Promise.all(
    Array.from({ length: Math.min(MAKING, count) }, async (_, n) => {
      const operator = createDesk(scene, `gathering ${n}`, "operator");
      while (begun < count) {
        begun += 1;
        const name = `crowd ${begun}`;
        const bank = banks[begun % banks.length] ?? null;
        const account = await operator.insist<{ id: string }>((client) => client.post("/accounts", { name }));
        const accountId = account.body.id;
        if (institutions.length > 1) {
          await useOnly(operator, accountId, bank?.institutionId ?? first.institutionId, institutions);
        }
        const made = await operator.insist<{ clientId: string; clientSecret: string }>((client) =>
          client.post(`/accounts/${accountId}/credentials`, { name, permissions: ["FULL_ACCESS"] }),
        );
        const { clientId, clientSecret } = made.body;
        tenants.push({ accountId, number: accountNumberOf(clientId) as number, clientId, clientSecret, bank });
      }
    }),
  );
  return { tenants, calls: [] };
}

/** Lets the tenants sell in turn, this many at once, until the run is over. Every charge is paid. */
export async function runCrowd(scene: Scene, { tenants, calls }: CrowdLog, atOnce: number): Promise<void> {
  let turn = 0;
  await Promise.all(
    Array.from({ length: Math.min(atOnce, tenants.length) }, async () => {
      while (!scene.over()) {
        const n = turn;
        turn += 1;
        const tenant = tenants[n % tenants.length]!;
        const desk = createDesk(scene, `crowd ${n}`, tenant);
        const { accountId } = tenant;
        const [key, amount] = [`crowd-${scene.seed}-${n}`, 100 + Math.floor(desk.random() * 50_000)];
        const reply = await desk.insist<{ id: string }>(
          (client) =>
            client.post(
              "/pix",
              { amount: amount / 100, description: "crowd" },
              { headers: { "idempotency-key": key } },
            ),
          ({ status, body }) => calls.push({ accountId, key, amount, status, body: body && { id: body.id } }),
        );
        if (reply.status !== 201)
          scene.findings.push(`a charge of the crowd was answered ${reply.status}: ${reply.text}`);
        else {
          const txid = txidFor(tenant.number, reply.body.id);
          const paid = await (tenant.bank?.control ?? scene.simulator).post(`/charges/${txid}/pay`, {
            amountCentavos: amount,
          });
          if (paid.status !== 200) scene.findings.push(`the payer could not pay ${txid}: ${paid.text}`);
        }
        await desk.rest();
      }
    }),
  );
}

/** Splits the PSP's log into entries about the crowd's charges and the rest. */
export function partPsp(psp: readonly PspEntry[], { tenants }: CrowdLog): { crowd: PspEntry[]; others: PspEntry[] } {
  const numbers = new Set(tenants.map(({ number }) => number));
  const isCrowds = ({ txid }: PspEntry) => numbers.has(parseTxid(String(txid ?? ""))?.accountNumber ?? Number.NaN);
  const { crowd = [], others = [] } = Object.groupBy(psp, (entry) => (isCrowds(entry) ? "crowd" : "others"));
  return { crowd, others };
}

/**
 * Checks that every answered charge belongs to its tenant, exists once for each key and has the requested amount; that
 * every payment is booked once, in the account of its charge; and that each tenant has what was paid to it, to the
 * centavo.
 */
export async function judgeCrowd(
  db: Queries,
  { tenants, calls }: CrowdLog,
  psp: readonly PspEntry[],
): Promise<string[]> {
  const findings: string[] = [];
  const accounts = uuids(tenants.map(({ accountId }) => accountId));
  const { rows } = await db.query<CrowdCharge>(sql`
    select c.account_id, c.charge_id, c.txid, c.status, c.amount, c.fee_amount, c.idempotency_key, c.e2e_id from charges c
    where c.account_id = any(${accounts}::uuid[]) and c.status <> 'rejected'`);
  const byId = new Map(rows.map((row) => [`${row.account_id}/${row.charge_id}`, row]));
  const byKey = Map.groupBy(rows, (row) => row.idempotency_key ?? "none");
  for (const { accountId, key, amount, status, body } of calls) {
    if (status !== 201) continue;
    const charge = byId.get(`${accountId}/${body?.id}`);
    if (charge?.amount !== amount || charge.idempotency_key !== key)
      findings.push(`a tenant was answered charge ${body?.id} of ${amount}, which is not in its books as that`);
  }
  for (const [key, made] of byKey) if (made.length > 1) findings.push(`key ${key} made ${made.length} charges`);
  const paid = new Map(psp.filter(({ type }) => type === "payment").map((one) => [String(one.txid), one]));
  for (const { charge_id: id, txid, status, amount, e2e_id: e2eId } of rows) {
    const payment = paid.get(txid);
    paid.delete(txid);
    if ((payment !== undefined) !== (status === "completed"))
      findings.push(`charge ${id} of the crowd is ${status}, and was ${payment ? "" : "not "}paid`);
    else if (payment && (payment.e2eId !== e2eId || payment.amountCentavos !== amount))
      findings.push(`charge ${id} of the crowd was completed by another payment than ${String(payment.e2eId)}`);
  }
  for (const txid of paid.keys()) findings.push(`${txid} of the crowd was paid, which is in no books`);
  return [...findings, ...(await judgeBalances(db, accounts, rows))];
}

type CrowdCharge = {
  readonly account_id: string;
  readonly charge_id: string;
  readonly txid: string;
  readonly status: string;
  readonly amount: number;
  readonly fee_amount: number | null;
  readonly idempotency_key: string | null;
  readonly e2e_id: string | null;
};

async function judgeBalances(db: Queries, accounts: Buffer, charges: readonly CrowdCharge[]): Promise<string[]> {
  const { rows } = await db.query<{ account_id: string; available: number }>(sql`
    select l.account_id, sum(l.balance) filter (where l.kind = 'available')::bigint as available
    from ledger_accounts l where l.account_id = any(${accounts}::uuid[]) group by l.account_id`);
  const expected = new Map<string, number>();
  for (const { account_id: id, status, amount, fee_amount: fee } of charges)
    if (status === "completed") expected.set(id, (expected.get(id) ?? 0) + amount - (fee ?? 0));
  const findings: string[] = [];
  for (const { account_id: id, available } of rows) {
    const should = expected.get(id) ?? 0;
    expected.delete(id);
    if (available !== should) findings.push(`tenant ${id} has ${available} centavos, the logs explain ${should}`);
  }
  for (const [id, should] of expected) findings.push(`tenant ${id} has no ledger, the logs explain ${should} centavos`);
  return findings;
}
