import pg from "pg";
import type { SettleCharge } from "../../gateway/src/charges/settlement.ts";
import { ids } from "../harness/tenants.ts";

type Query = (text: string, values: unknown[]) => Promise<pg.QueryResult>;

/**
 * A settlement as it is usually written: a transaction of its own that locks the tenant's row, reads, decides and writes
 * the same rows as the lane, statement after statement on a connection of a pool.
 */
export function createOneEach(url: string, connections: number) {
  const pool = new pg.Pool({ connectionString: url, max: connections });
  pool.on("error", () => {});
  return {
    async settle(command: SettleCharge): Promise<void> {
      const client = await pool.connect();
      try {
        await client.query("begin");
        await settle((text, values) => client.query(text, values), command);
        await client.query("commit");
      } catch (error) {
        await client.query("rollback");
        throw error;
      } finally {
        client.release();
      }
    },
    end: () => pool.end(),
  };
}

type LedgerAccount = { no: number; kind: string; owner_id: string | null; balance: string; seq: string };
type Line = { kind: string; leg: number; amount: number; from: LedgerAccount; to: LedgerAccount };

async function settle(query: Query, command: SettleCharge) {
  const { accountId, chargeId, pix } = command;
  const now = new Date();
  const one = async (text: string, values: unknown[]) => (await query(text, values)).rows[0];
  const account = await one("select * from accounts where account_id = $1 for no key update", [accountId]);
  const charge = await one("select * from charges where account_id = $1 and charge_id = $2", [accountId, chargeId]);
  const known = await one("select 1 from received_pix where account_id = $1 and e2e_id = $2", [accountId, pix.e2eId]);
  if (!account || charge?.status !== "pending" || known) throw new Error("not to be settled");
  const legs = (charge.split ?? []) as Leg[];
  await query("select * from wallets where account_id = $1 and wallet_id = any($2)", [
    accountId,
    [charge.wallet_id, ...legs.map((leg) => leg.walletId)],
  ]);
  const endpoints = (
    await query("select * from webhook_endpoints where account_id = $1 and deleted_at is null", [accountId])
  ).rows as { endpoint_id: string }[];
  const fee = Number(account.charge_fee_fixed) + Math.round((pix.amount * account.charge_fee_bps) / 10_000);
  const settling = { command, now, charge, legs, fee };
  await post(query, settling);
  await writeCharge(query, settling);
  await writeEvent(query, settling, endpoints);
}

type Leg = { walletId: string; reference: string; amount: number };
type Settling = {
  readonly command: SettleCharge;
  readonly now: Date;
  /** The charge's row. */
  readonly charge: pg.QueryResultRow;
  readonly legs: readonly Leg[];
  readonly fee: number;
};

/** Transfers and balances, account after account. */
async function post(query: Query, { command, now, charge, legs, fee }: Settling) {
  const { accountId, chargeId, institutionId, pix } = command;
  const one = async (text: string, values: unknown[]) => (await query(text, values)).rows[0];
  const accountOf = async (kind: string, owner: string | null): Promise<LedgerAccount> =>
    (await one(
      "select * from ledger_accounts where account_id = $1 and kind = $2 and owner_id is not distinct from $3 for update",
      [accountId, kind, owner],
    )) ??
    (await one(
      `insert into ledger_accounts (account_id, no, kind, owner_id)
       values ($1, (select coalesce(max(no), 0) + 1 from ledger_accounts where account_id = $1), $2, $3) returning *`,
      [accountId, kind, owner],
    ));
  const psp = await accountOf("psp", institutionId);
  const available = await accountOf("available", charge.wallet_id);
  const fees = await accountOf("fees", null);
  const parts: LedgerAccount[] = [];
  for (const leg of legs) parts.push(await accountOf("available", leg.walletId));

  const lines: Line[] = [
    { kind: "charge_paid", leg: 0, amount: pix.amount, from: psp, to: available },
    { kind: "charge_fee", leg: 0, amount: fee, from: available, to: fees },
    ...legs.map((leg, i) => ({ kind: "charge_split", leg: i, amount: leg.amount, from: available, to: parts[i]! })),
  ];
  for (const { kind, leg, amount, from, to } of lines) {
    for (const [side, sign] of [
      [from, -1],
      [to, 1],
    ] as const) {
      side.balance = String(Number(side.balance) + sign * amount);
      side.seq = String(Number(side.seq) + 1);
    }
    await query(
      `insert into ledger_transfers (account_id, kind, source_id, leg, amount, from_no, from_seq, from_balance, to_no,
         to_seq, to_balance, occurred_at, booked_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
      [accountId, kind, chargeId, leg, amount, from.no, from.seq, from.balance, to.no, to.seq, to.balance, pix.paidAt, now],
    ); // biome-ignore format: as the columns
  }
  await query(
    `insert into booking_evidence (account_id, source_id, leg, kind, origin, institution_id, about, body, booked_at)
     values ($1, $2, 0, 'charge_paid', 'answer', $3, $4, $5, $6)`,
    [accountId, chargeId, institutionId, pix.e2eId, JSON.stringify(pix), now],
  );
  for (const { no, balance, seq } of [psp, available, fees, ...parts]) {
    await query("update ledger_accounts set balance = $3, seq = $4 where account_id = $1 and no = $2", [
      accountId,
      no,
      balance,
      seq,
    ]);
  }
}

/** The charge as it was paid, what was received, and the movements of its split. */
async function writeCharge(query: Query, { command, now, charge, legs, fee }: Settling) {
  const { accountId, chargeId, institutionId, pix } = command;
  const { name, document } = pix.payer ?? { name: null, document: null };
  await query(
    `update charges set status = 'completed', fee_amount = $3, net_amount = $4, applied_split = $5, paid_at = $6, e2e_id = $7,
       counterpart_name = $8, counterpart_document = $9, updated_at = $10
     where account_id = $1 and charge_id = $2`,
    [accountId, chargeId, fee, pix.amount - fee, legs.length > 0 ? JSON.stringify(legs.map((leg) => leg.amount)) : null, pix.paidAt, pix.e2eId, name, document, now],
  ); // biome-ignore format: as the columns
  const open = [accountId, charge.wallet_id, chargeId];
  await query("delete from open_charges where account_id = $1 and wallet_id = $2 and charge_id = $3", open);
  await query(
    `insert into received_pix (account_id, e2e_id, pix_id, institution_id, charge_id, wallet_id, amount, outcome, payer_name,
       payer_document, paid_at, received_at) values ($1, $2, $3, $4, $5, $6, $7, 'credited', $8, $9, $10, $11)`,
    [accountId, pix.e2eId, ids.uuid(), institutionId, chargeId, charge.wallet_id, pix.amount, name, document, pix.paidAt, now],
  ); // biome-ignore format: as the columns
  for (const [i, leg] of legs.entries()) {
    await query(
      `insert into movements (account_id, movement_id, wallet_id, type, direction, amount, counterpart_wallet_id,
         counterpart_movement_id, cause_id, leg, description, created_at)
       values ($1, $2, $3, 'internal_transfer', 'out', $4, $5, $6, $7, $8, $9, $10)`,
      [accountId, ids.uuid(), charge.wallet_id, leg.amount, leg.walletId, ids.uuid(), chargeId, i, charge.description, now],
    ); // biome-ignore format: as the columns
  }
}

async function writeEvent(
  query: Query,
  { command, now, charge, legs, fee }: Settling,
  endpoints: readonly { endpoint_id: string }[],
) {
  const { accountId, chargeId, environment, pix } = command;
  const allocations = legs.map((leg) => ({ subAccount: leg.reference, amount: leg.amount / 100 }));
  const { name, document } = pix.payer ?? { name: null, document: null };
  const body = JSON.stringify({
    event: "payment_completed",
    eventId: chargeId,
    createdAt: now.toISOString(),
    data: {
      transactionId: chargeId, environment, amount: pix.amount / 100, feeAmount: fee / 100,
      netAmount: (pix.amount - fee) / 100, currency: "BRL", paymentMethod: "pix", status: "completed",
      paidAt: pix.paidAt.toISOString(), split: allocations, e2eId: pix.e2eId, counterpartName: name,
      counterpartDocument: document,
    },
  }); // biome-ignore format: one object
  await query(
    "insert into events (account_id, event_id, wallet_id, kind, body, created_at) values ($1, $2, $3, $4, $5, $6)",
    [accountId, chargeId, charge.wallet_id, "payment_completed", body, now],
  );
  for (const { endpoint_id } of endpoints) {
    await query(
      `insert into deliveries (account_id, delivery_id, event_id, endpoint_id, status, next_at, created_at)
       values ($1, $2, $3, $4, 'pending', $5, $5)`,
      [accountId, ids.uuid(), chargeId, endpoint_id, now],
    );
  }
}
