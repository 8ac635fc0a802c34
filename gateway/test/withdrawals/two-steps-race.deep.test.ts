/**
 * The race for payouts in two steps: two workers at once, each killed again and again at any point of and between the steps, at a
 * bank that loses answers. Every payout is authorised once or never, none is lost, and every centavo is where the books say.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { clockAhead } from "../../src/context.ts";
import { sql } from "../../src/db/sql.ts";
import type { Bank } from "../../src/psp/bank.ts";
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

/** Before, between and after the steps, of which the second has another name at each bank. */
const pointsOf = (second: string): readonly string[] => [
  "psp.after:postPayout",
  `psp.before:${second}`,
  `psp.after:${second}`,
  "psp.before:postPayout",
];
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

type Raced = { readonly provider: string; readonly second: string; readonly payments: (url: string) => object };
/** Banks that pay in two steps, or under a number of ours; of each this file has a race. */
const RACED: readonly Raced[] = [
  {
    ...{ provider: "santander", second: "authorisePayout" },
    payments: (url) => ({ paymentsUrl: url, paymentsTokenUrl: `${url}/oauth/token` }),
  },
  {
    ...{ provider: "banco-do-brasil", second: "releasePayout" },
    payments: (url) => ({ batchesUrl: `${url}/pagamentos-lote/v1`, batchesTokenUrl: `${url}/oauth/token` }),
  },
];

const bankOf = (provider: string): Bank => BANKS.find(({ id }) => id === provider)!;

/** What a bank can do with payouts where its settings for them are made, alone and by each profile that it knows. */
const payoutsOf = (one: Bank) =>
  [{}, ...(one.profiles ?? []).map(({ sandbox: _, name: _name, ...profile }) => profile)].map(
    (profile) => one.capabilities({ ...one.paysWith, ...profile }).payouts,
  );

test("every bank that pays in two steps, or under a number of ours, has a race here", () => {
  const isRaced = (one: Bank): boolean =>
    payoutsOf(one).some((payouts) => payouts?.authorised === true || payouts?.numbers !== undefined);
  assert.deepEqual(
    BANKS.filter(isRaced).map(({ id }) => id),
    RACED.map(({ provider }) => provider),
  );
});

type Made = {
  status: string;
  amountCentavos: number;
  visibleAt: string;
  prepared?: true;
  own: { codigo: string; descricao: string };
};
type Row = {
  status: string;
  net_amount: number;
  amount: number;
  psp_id: string;
  latest: string | null;
  references: { reference: string; authorisedAt?: string }[];
};
/** A number of ours is sent without its zeros in front. */
const plain = (id: string | undefined): string | undefined => id?.replace(/^0+/, "");

for (const { provider, second, payments } of RACED) {
  describe(`at ${provider}`, () => {
    let gateway: TestGateway;
    let merchant: Merchant;
    let bank: Awaited<ReturnType<typeof startSimulatorPsp>>;
    const closers: (() => unknown)[] = [];
    before(async () => {
      gateway = await startGateway({ PIXGATE_ROLE: "api" });
      bank = await startSimulatorPsp({ after: (close) => closers.push(close as () => unknown) });
      const { clientId, clientSecret, pixKey } = bank.credentials;
      const made = await gateway.operator.post<{ id: string }>("/institutions", {
        ...{ name: provider, provider, environment: "sandbox" },
        config: {
          ...{ baseUrl: `${bank.url}/v2`, tokenUrl: `${bank.url}/oauth/token`, clientId, clientSecret, pixKey },
          ...{ ...bankOf(provider).paysWith, ...payments(bank.url), timeoutMs: 5_000 },
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

    test("two workers that are killed between the steps neither pay twice nor lose a payout", async () => {
      await bank.control("PATCH", "/behaviour", {
        faults: { seed: 4, rules: FAULTS },
        readLagMs: { min: 0, max: 800 },
      });
      const asked = new Set<string>();
      const killed: Killed = new Map();
      const points = pointsOf(second);
      const missing = () => points.filter((point) => (killed.get(point) ?? 0) < DEATHS);
      for (let no = 1; missing().length > 0; no += 1) {
        for (let i = 0; i < EACH; i += 1) asked.add((await withdraw(merchant.client, { amount: 10 + i })).id);
        const [one, other = points[no % points.length]!] = missing();
        await race(no, [one!, other], killed);
      }

      // Afterwards nobody dies any more, and the bank answers.
      await bank.control("DELETE", "/behaviour");
      const made = async () => ((await bank.control("GET", "/payouts?limit=10000")) as { items: Made[] }).items;
      // Below, a quarter of an hour passes in a moment: a bank that still lags would be one that shows nothing for as long.
      await eventually("the bank to show whatever it has taken on", async () =>
        (await made()).every(({ visibleAt }) => Date.parse(visibleAt) <= Date.now()),
      );
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
      const items = await made();
      for (const { status, psp_id: id, net_amount: amount, references } of rows) {
        const authorised = items.filter(({ own, prepared }) => own.descricao === id && prepared === undefined);
        const paid = authorised.map((one) => [plain(one.own.codigo), one.status, one.amountCentavos]);
        // One whose preparations nobody answered has no id to authorise: a person decides, and its money is held.
        const expected = status === "completed" ? [[plain(references[0]?.reference), "REALIZADO", amount]] : [];
        assert.deepEqual(paid, expected, `${id} is ${status} after ${JSON.stringify(Object.fromEntries(killed))}`);
      }
      const sum = (list: readonly Row[]) => list.reduce((all, { amount }) => all + amount, 0);
      const completed = rows.filter(({ status }) => status === "completed");
      // A number of ours is known before the request, so that nobody has to decide.
      const isNumbered = payoutsOf(bankOf(provider)).some((payouts) => payouts?.numbers !== undefined);
      const least = isNumbered ? rows.length : Math.ceil(rows.length / 2);
      assert.ok(completed.length >= least, `${completed.length} of ${rows.length} were paid`);
      assert.equal(items.filter(({ prepared }) => prepared === undefined).length, completed.length);
      const { available, held } = await balancesOf(merchant.client);
      assert.deepEqual([available, held], [100_000 - sum(rows), sum(rows) - sum(completed)]);
      await gateway.verify();
    });
  });
}
