/**
 * The disaster of the drill: a backup is taken during payments and payouts, which continue; then everything except the
 * backup and the bank is lost. A gateway on the restored database ends equal to the bank by an operator's decisions
 * alone.
 */
import { randomUUID } from "node:crypto";
import { verify } from "../../gateway/src/auditor/verify.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import { onServer } from "../../gateway/test/harness/backup.ts";
import { Client } from "../../gateway/test/harness/client.ts";
import { eventually, pause } from "../../gateway/test/harness/eventually.ts";
import type { GatewayProcess } from "../../gateway/test/harness/process.ts";
import { pick, stream } from "../harness/random.ts";
import { type Merchant, paysOn, startLoad } from "./load.ts";

type Disaster = {
  readonly seed: number;
  readonly merchants: number;
  /** Number of payments before the backup, and again after it. */
  readonly payments: number;
  readonly merchant: Merchant;
  readonly operatorToken: string;
  readonly simulator: Client;
  pay(chargeId: string): Promise<void>;
  takeBackup(): Promise<void>;
  /** Stops the gateways of the lost database. */
  stopGateways(): Promise<void>;
  restore(): Promise<{ readonly url: string; readonly gateway: GatewayProcess }>;
  readonly log: (line: string) => void;
};

type Counts = Readonly<Record<string, number>>;
type Case = {
  readonly id: string;
  readonly kind: string;
  readonly objectId: string;
  readonly evidence: { readonly data?: { readonly kind?: string; readonly state?: string } };
};
type Status = { readonly restored: boolean; readonly refusal?: { readonly code: string } };

/** Receivers of payouts: two that the bank pays, and one whose payout fails. */
const RECEIVERS = ["maria@example.com", "maria@example.com", "fail@pixgate.test"] as const;

/** @returns the findings, and counts of what happened */
export async function restoreInTraffic(disaster: Disaster): Promise<{ findings: string[]; counts: Counts }> {
  const { merchant, merchants, payments, simulator, log } = disaster;
  const load = startLoad(merchant, merchants, disaster.pay);
  const payouts = startPayouts(merchant, disaster.seed);
  await paysOn(load, payments);
  const before = payouts.asked();
  await disaster.takeBackup();
  await paysOn(load, payments);
  await eventually("payouts after the backup", () => payouts.asked() > before + 3, 60_000);
  await Promise.all([load.stop(), payouts.stop()]);
  await disaster.stopGateways();
  await isQuiet(simulator);

  const { url, gateway } = await disaster.restore();
  const operator = new Client(`${gateway.url}/operator/v1`).withToken(disaster.operatorToken);
  const decided = { adopted: 0, givenBack: 0, returned: 0, ends: 0 };
  await eventually(
    "the restore to end",
    async () => {
      decided.ends += 1;
      const { body } = await operator.post<Status>("/restore/finish", {
        reason: "The drill: everything else is lost.",
      });
      log(`restore finish: ${body.restored ? body.refusal?.code : "ended"}`);
      if (!body.restored) return true;
      for (const one of await openCases(operator, "reconciliation_difference")) {
        const { kind, state } = one.evidence.data ?? {};
        if (kind !== "sent" || state !== "missing_here") continue;
        if (await propose(operator, one.id, "adopt", {})) decided.adopted += 1;
      }
      return false;
    },
    240_000,
  );
  await eventually(
    "nothing to be left to decide",
    async () => {
      for (const one of await openCases(operator, "payout_unconfirmed")) {
        const reason = { reason: "The drill: the bank does not have it." };
        if (await propose(operator, one.id, "force_failed", reason)) decided.givenBack += 1;
      }
      // Payments of charges that the backup lacks: the restored books cannot tell what was sold.
      for (const one of await openCases(operator, "unmatched_receipt")) {
        if (await propose(operator, one.id, "return", {})) decided.returned += 1;
      }
      const open = await operator.get<{ items: Case[] }>("/cases?status=open&limit=100");
      const waits = await operator.get<{ items: unknown[] }>("/withdrawals?status=processing&limit=1");
      return open.body.items.length + waits.body.items.length === 0;
    },
    240_000,
  );
  await isQuiet(simulator);
  const { books, bank, violations } = await eventually(
    "the books to be equal to the bank",
    async () => {
      const found = await compare(url, simulator);
      return found.books === found.bank && found;
    },
    60_000,
  ).catch(() => compare(url, simulator));
  await gateway.stop();
  const findings = violations.map((one) => `restored in traffic: ${one}`);
  if (books !== bank) findings.push(`restored in traffic: the bank holds ${bank} centavos, the books say ${books}`);
  return { findings, counts: { ...decided, payouts: payouts.asked(), centavos: bank } };
}

/** Starts payouts without a pause, some of which fail. */
function startPayouts({ urls, clientId, clientSecret }: Merchant, seed: number) {
  const random = stream(seed, "payouts");
  let [stopping, asked] = [false, 0];
  const run = async (): Promise<void> => {
    let client: Client | null = null;
    while (!stopping) {
      const body = {
        ...{ amount: 1 + Math.floor(random() * 200) / 100, pixKey: pick(random, RECEIVERS), pixKeyType: "email" },
        ...{ holderName: "Maria Silva", holderDocument: "12345678909", holderDocumentType: "cpf" },
      };
      client ??= await new Client(`${urls[0]}/v2`).login(clientId, clientSecret);
      const { status } = await client.post("/withdrawals", body, { headers: { "idempotency-key": randomUUID() } });
      if (status === 201) asked += 1;
      if (status === 401) client = null;
      await pause(40);
    }
  };
  const running = run();
  return {
    asked: () => asked,
    async stop() {
      stopping = true;
      await running;
    },
  };
}

const openCases = async (operator: Client, kind: string): Promise<readonly Case[]> =>
  (await operator.get<{ items: Case[] }>(`/cases?status=open&kind=${kind}&limit=100`)).body.items;

/** @returns false where the case had changed meanwhile: the next round decides it. */
async function propose(operator: Client, id: string, action: string, parameters: object): Promise<boolean> {
  type Proposed = { readonly proposal?: { readonly status: string } };
  const { status, body } = await operator.post<Proposed>(`/cases/${id}/propose`, { action, parameters });
  return status === 200 && body.proposal?.status === "executed";
}

/** Waits until the bank holds the same amount twice in a row: nothing is under way there any more. */
async function isQuiet(simulator: Client): Promise<void> {
  let last: number | null = null;
  await eventually(
    "the bank to be quiet",
    async () => {
      const now = await heldBy(simulator);
      const same = now === last;
      last = now;
      if (!same) await pause(1_500);
      return same;
    },
    60_000,
  );
}

const heldBy = async (simulator: Client): Promise<number> =>
  (await simulator.get<{ books: { balanceCentavos: number } }>("/state")).body.books.balanceCentavos;

async function compare(url: string, simulator: Client) {
  return onServer(url, async (db) => {
    const { rows } = await db.query<{ sum: number }>(sql`
      select -coalesce(sum(balance), 0)::bigint as sum from ledger_accounts where kind = 'psp'`);
    const { violations } = await verify(db);
    const bank = await heldBy(simulator);
    return {
      books: Number(rows[0]!.sum),
      bank,
      violations: violations.map((one) => `${one.invariant}: ${one.detail}`),
    };
  });
}
