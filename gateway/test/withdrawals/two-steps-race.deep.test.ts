/**
 * The race for payouts in two steps: two workers at once, each killed again and again at any point of and between the steps, at a
 * bank that loses answers. Every payout is authorised once or never, none is lost, and every centavo is where the books say.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clockAhead } from "../../src/context.ts";
import { sql } from "../../src/db/sql.ts";
import { BANKS } from "../../src/psp/catalogue.ts";
import { createSender } from "../../src/withdrawals/send.ts";
import { balancesOf, give, type Merchant, newMerchant } from "../contract/money.ts";
import { withdraw } from "../contract/payouts.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { launchProcess } from "../harness/process.ts";
import { startSimulatorPsp } from "../harness/simulator-psp.ts";

/** New withdrawals of each race, and how often a process must have died at each point. */
const [EACH, DEATHS] = [3, 2];
/** A race in which nobody dies at a point ends after this time, milliseconds. */
const LONGEST = 30_000;
const MINUTE = 60_000;

/** Before, between and after the steps. */
const POINTS = [
  "psp.after:postPayout",
  "psp.before:authorisePayout",
  "psp.after:authorisePayout",
  "psp.before:postPayout",
] as const;
type Killed = Map<string, number>;

/** What the bank does beside: answers get lost, and a query does not show at once what was asked for. */
const rule = (route: string, kind: string, probability: number) => ({ route, kind, probability });
const FAULTS = [
  rule("putPayout", "resetAfter", 0.1),
  rule("authorisePayout", "resetAfter", 0.15),
  rule("authorisePayout", "reset", 0.15),
  rule("authorisePayout", "error5xxAfter", 0.1),
  rule("getPayout", "error5xxBefore", 0.1),
];

/** Banks of two steps; of each this file has a race. */
const RACED = ["santander"];

let gateway: TestGateway;
let merchant: Merchant;
let bank: Awaited<ReturnType<typeof startSimulatorPsp>>;
const closers: (() => unknown)[] = [];
before(async () => {
  gateway = await startGateway({ PIXGATE_ROLE: "api" });
  bank = await startSimulatorPsp({ after: (close) => closers.push(close as () => unknown) });
  const { clientId, clientSecret, pixKey } = bank.credentials;
  const made = await gateway.operator.post<{ id: string }>("/institutions", {
    ...{ name: "Santander", provider: "santander", environment: "sandbox" },
    config: {
      ...{ baseUrl: `${bank.url}/v2`, tokenUrl: `${bank.url}/oauth/token`, clientId, clientSecret, pixKey },
      ...{ workspaceId: "w1", paymentsUrl: bank.url, paymentsTokenUrl: `${bank.url}/oauth/token`, timeoutMs: 5_000 },
    },
  });
  assert.equal(made.status, 201, made.text);
  merchant = await newMerchant(gateway);
  await give(gateway, merchant.accountId, 1_000);
  const policies = { uncheckedHolders: true };
  assert.equal((await gateway.operator.patch(`/accounts/${merchant.accountId}`, { policies })).status, 200);
  for (const { institutionId } of await gateway.running.ctx.psps.all()) {
    const path = `/accounts/${merchant.accountId}/institutions/${institutionId}`;
    const enabled = JSON.stringify({ enabled: institutionId === made.body.id });
    assert.equal((await gateway.operator.send("PUT", path, enabled)).status, 200);
  }
});
after(async () => {
  await gateway.stop();
  for (const close of closers.reverse()) await close();
});

type Made = { status: string; amountCentavos: number; prepared?: true; own: { codigo: string; descricao: string } };
type Row = {
  status: string;
  net_amount: number;
  amount: number;
  psp_id: string;
  latest: string | null;
  references: { reference: string; authorisedAt?: string }[];
};
const readRows = async (): Promise<Row[]> =>
  (
    await gateway.owner.query<Row>(sql`
      select status, amount, net_amount, psp_id, latest ->> 'state' as latest, psp_references as references
      from withdrawals where account_id = ${merchant.accountId}`)
  ).rows;

/**
 * Two workers at once, each to die at another point; when one has, the other is killed where it is. The clock of each race is
 * past the claims of the one before.
 */
async function race(no: number, points: readonly string[], killed: Killed): Promise<void> {
  const workers = points.map((point) =>
    launchProcess({
      ...{ DATABASE_URL: gateway.databaseUrl, PIXGATE_DATA_DIR: gateway.dataDir, PIXGATE_SIMULATOR_PORT: "off" },
      ...{ PIXGATE_ROLE: "worker", PIXGATE_CLOCK_CHECK: "off", PIXGATE_CLOCK_OFFSET: String(no * 150) },
      PIXGATE_FAILPOINTS: `${point}@1`,
    }),
  );
  const until = performance.now() + LONGEST;
  const hasDied = () => workers.some(({ child }) => child.exitCode !== null || child.signalCode !== null);
  await eventually("a worker to die", () => hasDied() || performance.now() > until, 2 * LONGEST);
  for (const { child } of workers) child.kill("SIGKILL");
  await Promise.all(workers.map(({ exited }) => exited));
  for (const { stderr } of workers) {
    const point = /^failpoint (\S+)$/m.exec(stderr())?.[1];
    if (point !== undefined) killed.set(point, (killed.get(point) ?? 0) + 1);
  }
}

test("every bank of two steps has a race here", () => {
  const settings = { workspaceId: "w1", wooviPayouts: true };
  const twoSteps = BANKS.filter((one) => one.capabilities(settings).payouts?.authorised === true);
  assert.deepEqual(
    twoSteps.map(({ id }) => id),
    RACED,
  );
});

test("two workers that are killed between the steps neither pay twice nor lose a payout", async () => {
  await bank.control("PATCH", "/behaviour", { faults: { seed: 4, rules: FAULTS }, readLagMs: { min: 0, max: 800 } });
  const asked = new Set<string>();
  const killed: Killed = new Map();
  const missing = () => POINTS.filter((point) => (killed.get(point) ?? 0) < DEATHS);
  for (let no = 1; missing().length > 0; no += 1) {
    for (let i = 0; i < EACH; i += 1) asked.add((await withdraw(merchant.client, { amount: 10 + i })).id);
    const [one, other = POINTS[no % POINTS.length]!] = missing();
    await race(no, [one!, other], killed);
  }

  // Afterwards nobody dies any more, and the bank answers.
  await bank.control("DELETE", "/behaviour");
  let later = 60 * MINUTE;
  await eventually(
    "every payout to end, or to wait for a person",
    async () => {
      const sender = createSender({ ...gateway.running.ctx, clock: clockAhead(later) });
      await sender.runDue();
      await sender.idle();
      later += 15 * MINUTE;
      return (await readRows()).every(({ status, latest }) => status === "completed" || latest === "no_bank_id");
    },
    120_000,
  );

  const rows = await readRows();
  assert.equal(rows.length, asked.size);
  const { items } = (await bank.control("GET", "/payouts?limit=10000")) as { items: Made[] };
  for (const { status, psp_id: id, net_amount: amount, references } of rows) {
    const authorised = items.filter(({ own, prepared }) => own.descricao === id && prepared === undefined);
    const paid = authorised.map((one) => [one.own.codigo, one.status, one.amountCentavos]);
    // One whose preparations nobody answered has no id to authorise: a person decides, and its money is held.
    const expected = status === "completed" ? [[references[0]?.reference, "REALIZADO", amount]] : [];
    assert.deepEqual(paid, expected, `${id} is ${status} after ${JSON.stringify(Object.fromEntries(killed))}`);
  }
  const sum = (list: readonly Row[]) => list.reduce((all, { amount }) => all + amount, 0);
  const completed = rows.filter(({ status }) => status === "completed");
  assert.ok(completed.length > rows.length / 2, `${completed.length} of ${rows.length} were paid`);
  const { available, held } = await balancesOf(merchant.client);
  assert.deepEqual([available, held], [100_000 - sum(rows), sum(rows) - sum(completed)]);
  await gateway.verify();
});
