import assert from "node:assert/strict";
import { join } from "node:path";
import pino from "pino";
import { sql } from "../../gateway/src/db/sql.ts";
import { notificationPath } from "../../gateway/src/institutions/notification-path.ts";
import type { Clock } from "../../gateway/src/lib/clock.ts";
import { type RunningSimulator, startSimulator } from "../../gateway/src/sandbox/simulator.ts";
import { Client, type Reply } from "../../gateway/test/harness/client.ts";
import { approveCase } from "../../gateway/test/harness/decide.ts";
import { eventually } from "../../gateway/test/harness/eventually.ts";
import { startGateway, type TestGateway } from "../../gateway/test/harness/gateway.ts";
import { operatorOf } from "../../gateway/test/harness/operator.ts";
import { type RestoredGateway, takeBackup } from "./restore.ts";

/** An institution: a simulator of its own. Money in centavos. */
type Bank = {
  readonly name: string;
  readonly institutionId: string;
  readonly control: Client;
  /** The operator's deposits less its withdrawals and the bank's monthly tariffs. */
  opening: number;
};
/** An account at one institution, with its credential. */
export type Shop = {
  readonly name: string;
  readonly accountId: string;
  readonly bank: Bank;
  readonly secret: { readonly clientId: string; readonly clientSecret: string };
  client: Client;
};
export type World = {
  /** Replaced after a restore. */
  gateway: TestGateway;
  /** A second operator. */
  readonly second: Client;
  readonly banks: readonly Bank[];
  readonly shops: readonly Shop[];
  /** Sets the clock of every program. */
  goTo(moment: Date): Promise<void>;
  /** Runs these loops of the worker repeatedly, until `ask` succeeds. */
  until(what: string, loops: readonly string[], ask: () => Promise<unknown>): Promise<void>;
  /** Waits until nothing is under way, and the books agree with every institution's balance. */
  quiet(): Promise<void>;
  /** The balance that an institution reports. Centavos. */
  fundsOf(bank: Bank): Promise<number>;
  /** Moves the operator's own money to the institution or (negative) away from it. Centavos. */
  move(bank: Bank, amount: number): Promise<void>;
  /** Takes a backup. @returns stops the gateway and starts it on the restored backup. */
  takeBackup(): Promise<() => Promise<void>>;
  stop(): Promise<void>;
};

/** Above this amount two humans must decide, BRL. High, so that in general one decides alone. */
const TWO_PERSONS_ABOVE = "10000.00";
const NAMES = ["First bank", "Second bank", "Third bank"] as const;
/** Each bank's tariffs for a received Pix and for a payout, centavos, and where it reports them. */
const TARIFFS = [
  { receivedCentavos: 0, sentCentavos: 0, shownIn: [] },
  { receivedCentavos: 31, sentCentavos: 47, shownIn: ["list", "read", "charge", "callback"] },
  { receivedCentavos: 9, sentCentavos: 120, shownIn: ["read", "callback"] },
];
const FEES = { charge: { fixed: 0.5 }, withdrawal: { fixed: 1.5 }, refund: { fixed: 0.25 } };

/** A clock that can be set, and runs on from there. */
function movingClock(start: Date): Clock & { set(moment: Date): void } {
  let ahead = start.getTime() - Date.now();
  return {
    now: () => Date.now() + ahead,
    date: () => new Date(Date.now() + ahead),
    set(moment) {
      ahead = moment.getTime() - Date.now();
    },
  };
}

/** Starts a gateway and three institutions, with an account at each. All clocks begin at `start`. */
export async function startWorld(start: Date): Promise<World> {
  const clock = movingClock(start);
  const gateway = await startGateway({ PIXGATE_TWO_PERSONS_ABOVE: TWO_PERSONS_ABOVE }, { clock });
  const restored: RestoredGateway[] = [];
  const second = await operatorOf(gateway, "Bia", "admin");
  const simulators: RunningSimulator[] = [];
  const banks: Bank[] = [];
  const { operator } = gateway;
  const setClock = (control: Client, moment: Date) => put(control, "/clock", { now: moment.toISOString() });
  for (const [i, name] of NAMES.entries()) {
    let control = gateway.simulator;
    if (i > 0) {
      const dataDir = join(gateway.dataDir, `bank ${i}`);
      const simulator = await startSimulator({ host: "127.0.0.1", port: 0, dataDir, log: pino({ level: "silent" }) });
      simulators.push(simulator);
      control = new Client(`${simulator.url}/control`).withToken(simulator.credentials.controlToken);
    }
    await setClock(control, start);
    const behaviour = { openingBalanceCentavos: 0, payoutDelayMs: 0, returnDelayMs: 0, tariffs: TARIFFS[i] };
    assert.equal((await control.patch("/behaviour", behaviour)).status, 200);
    const institutionId =
      i === 0 ? await ownInstitution(gateway) : await addInstitution(operator, name, simulators[i - 1]!);
    assert.equal((await operator.patch(`/institutions/${institutionId}`, { name })).status, 200);
    await register(gateway, institutionId);
    banks.push({ name, institutionId, control, opening: 0 });
  }
  const shops = await Promise.all(banks.map((bank, i) => openShop({ gateway, second }, bank, banks, `Shop ${i + 1}`)));
  const world: World = {
    gateway,
    second,
    banks,
    shops,
    async goTo(moment) {
      await Promise.all(banks.map(({ control }) => setClock(control, moment)));
      clock.set(moment);
      await Promise.all(
        shops.map(async (shop) => {
          const { clientId, clientSecret } = shop.secret;
          shop.client = await new Client(world.gateway.sandbox.baseUrl).login(clientId, clientSecret);
        }),
      );
    },
    until: (what, loops, ask) =>
      eventually(
        what,
        async () => {
          for (const loop of loops) world.gateway.running.ctx.hints.wake(loop);
          return ask();
        },
        120_000,
      ).then(() => {}),
    async quiet() {
      await world.until(
        "all that was begun to end",
        ["inbox", "returns", "withdrawals", "infractions", "med returns"],
        () => isQuiet(world, clock),
      );
    },
    async fundsOf({ control }) {
      type State = { books: { openingBalanceCentavos: number; balanceCentavos: number } };
      const { books } = (await control.get<State>("/state")).body;
      return books.openingBalanceCentavos + books.balanceCentavos;
    },
    async move(bank, amount) {
      bank.opening += amount;
      assert.equal((await bank.control.patch("/behaviour", { openingBalanceCentavos: bank.opening })).status, 200);
    },
    async takeBackup() {
      const restore = await takeBackup(gateway);
      return async () => {
        const again = await restore(clock);
        restored.push(again);
        world.gateway = again.gateway;
        const [own] = banks as [Bank];
        const behaviour = {
          openingBalanceCentavos: own.opening,
          payoutDelayMs: 0,
          returnDelayMs: 0,
          tariffs: TARIFFS[0],
        };
        assert.equal((await own.control.patch("/behaviour", behaviour)).status, 200);
        await world.goTo(clock.date());
      };
    },
    async stop() {
      for (const simulator of simulators) await simulator.stop();
      for (const one of restored) await one.stop();
      await gateway.stop();
    },
  };
  return world;
}

async function put(client: Client, path: string, body: unknown): Promise<void> {
  const reply = await client.send("PUT", path, JSON.stringify(body));
  assert.equal(reply.status, 200, reply.text);
}

const ownInstitution = async ({ running }: TestGateway): Promise<string> =>
  (await running.ctx.psps.all())[0]!.institutionId;

/** Registers the gateway's address for notifications, which is known only after its start: its port is arbitrary. */
async function register({ running }: TestGateway, institutionId: string): Promise<void> {
  const { psp } = (await running.ctx.psps.find(institutionId))!;
  const done = await psp.registerNotifications!(running.url + notificationPath(running.ctx.keys, institutionId));
  assert.equal(done.kind, "accepted");
}

async function addInstitution(operator: Client, name: string, { url, credentials }: RunningSimulator): Promise<string> {
  const { clientId, clientSecret, pixKey, controlToken } = credentials;
  const made = await operator.post<{ id: string }>("/institutions", {
    ...{ name, provider: "simulator", environment: "sandbox", priority: 300 },
    config: {
      ...{ baseUrl: `${url}/v2`, tokenUrl: `${url}/oauth/token`, controlUrl: `${url}/control` },
      ...{ clientId, clientSecret, pixKey, controlToken },
    },
  });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

async function openShop(
  { gateway, second }: Pick<World, "gateway" | "second">,
  bank: Bank,
  banks: readonly Bank[],
  name: string,
): Promise<Shop> {
  const { operator } = gateway;
  const made = await operator.post<{ id: string }>("/accounts", { name });
  assert.equal(made.status, 201, made.text);
  const accountId = made.body.id;
  for (const one of banks) {
    const link = `/accounts/${accountId}/institutions/${one.institutionId}`;
    await byTwo(second, await operator.send("PUT", link, JSON.stringify({ enabled: one === bank })));
  }
  await byTwo(second, await operator.patch(`/accounts/${accountId}`, { fees: FEES }));
  const credential = { name: "shop", permissions: ["FULL_ACCESS"], subAccountAccess: true };
  const { body: secret } = await operator.post<Shop["secret"]>(`/accounts/${accountId}/credentials`, credential);
  const client = await new Client(gateway.sandbox.baseUrl).login(secret.clientId, secret.clientSecret);
  assert.equal((await client.post("/sub-accounts", { reference: "loja" })).status, 201);
  return { name, accountId, bank, secret, client };
}

/** Asserts that nothing is under way here or at an institution, and that both sides have the same balance. */
async function isQuiet({ gateway, banks, fundsOf }: World, clock: Clock): Promise<true> {
  const { owner } = gateway;
  await owner.query(sql`update infraction_polls set next_at = ${clock.date()}`);
  await owner.query(sql`update balance_blocks set return_next_at = ${clock.date()} where return_next_at is not null`);
  const { rows } = await owner.query<Record<string, number>>(sql`
    select (select count(*) from inbox where status = 'pending') as inbox,
      (select count(*) from pix_returns where status in ('pending', 'sending')) as returns,
      (select count(*) from withdrawals where status in ('pending', 'processing')) as withdrawals,
      (select count(*) from refunds where status = 'pending') as refunds,
      (select count(*) from pix_assignments where status = 'assigning') as assigning,
      (select count(*) from balance_blocks where status = 'approved' and held_amount > 0) as awaited`);
  assert.deepEqual(rows[0], { inbox: 0, returns: 0, withdrawals: 0, refunds: 0, assigning: 0, awaited: 0 });
  const { rows: books } = await owner.query<{ owner_id: string; balance: number }>(sql`
    select owner_id, -sum(balance)::bigint as balance from ledger_accounts where kind = 'psp' group by owner_id`);
  const ours = new Map(books.map(({ owner_id: id, balance }) => [id, balance]));
  for (const bank of banks) assert.equal(ours.get(bank.institutionId) ?? 0, await fundsOf(bank), bank.name);
  return true;
}

/** Approves, as the second operator, a call that the first may not make alone. */
async function byTwo(second: Client, { status, body, text }: Reply<unknown>): Promise<void> {
  if (status === 200) return;
  const { caseId } = (body as { details: { caseId?: string } }).details;
  assert.ok(status === 403 && caseId !== undefined, text);
  const approved = await approveCase<{ status: string }>(second, caseId);
  assert.equal(approved.body.status, "closed", approved.text);
}
