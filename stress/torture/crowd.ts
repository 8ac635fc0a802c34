import { accountNumberOf } from "../../gateway/src/http/auth.ts";
import { txidFor } from "../../gateway/src/lib/ids.ts";
import { pick } from "../harness/random.ts";
import { type OtherBank, useOnly } from "./banks.ts";
import { createDesk, type Desk, type Scene } from "./desk.ts";
import type { MerchantCall } from "./merchant-call.ts";
import { untilDecided } from "./second-human.ts";

/** One of many accounts, each of which sells now and then, and takes money out where its institution pays out. */
type Tenant = {
  readonly accountId: string;
  readonly number: number;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The institution at which it sells; null: the first one. */
  readonly bank: OtherBank | null;
};

type CrowdCall = MerchantCall & { readonly accountId: string };

/** The accounts of the crowd, and every call that they made. */
export type CrowdLog = {
  readonly tenants: Tenant[];
  readonly calls: CrowdCall[];
  /** Calls that take money out. Centavos. */
  readonly withdrawals: CrowdCall[];
};

/** Share of the sales after which a tenant takes money out. */
const TAKEN_OUT = 0.6;

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
  type Listed = { items: { id: string; provider: string }[] };
  const { body } = await finding.insist<Listed>((client) => client.get("/institutions"));
  const institutions = body.items.map(({ id: institutionId }) => ({ institutionId }));
  const first = body.items.find(({ provider }) => provider === "simulator")!.id;
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
          // Not every bank compares the holder of a key before it pays.
          const policies = { uncheckedHolders: true };
          await untilDecided(operator, 200, (client) => client.patch(`/accounts/${accountId}`, { policies }));
          await useOnly(operator, accountId, bank?.institutionId ?? first, institutions);
        }
        const made = await operator.insist<{ clientId: string; clientSecret: string }>((client) =>
          client.post(`/accounts/${accountId}/credentials`, { name, permissions: ["FULL_ACCESS"] }),
        );
        const { clientId, clientSecret } = made.body;
        tenants.push({ accountId, number: accountNumberOf(clientId) as number, clientId, clientSecret, bank });
      }
    }),
  );
  return { tenants, calls: [], withdrawals: [] };
}

/** Lets the tenants sell in turn, this many at once, until the run is over. Every charge is paid that a living bank has. */
export async function runCrowd(scene: Scene, { tenants, calls, withdrawals }: CrowdLog, atOnce: number): Promise<void> {
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
        else await pay(scene, tenant, reply.body.id, amount);
        if (tenant.bank?.paysOut && desk.random() < TAKEN_OUT) await takeOut(desk, tenant, `${key}-out`, withdrawals);
        await desk.rest();
      }
    }),
  );
}

/** Pays a charge. Of a bank that has died, the charges that had been made there can be paid no more. */
async function pay(scene: Scene, { number, bank }: Tenant, chargeId: string, amountCentavos: number): Promise<void> {
  const txid = txidFor(number, chargeId);
  const isDead = bank !== null && bank.diedAt() !== null;
  const control = bank === null || isDead ? scene.simulator : bank.control;
  const paid = await control.post(`/charges/${txid}/pay`, { amountCentavos });
  if (paid.status !== 200 && !(isDead && paid.status === 404))
    scene.findings.push(`the payer could not pay ${txid}: ${paid.text}`);
}

/** Receivers of withdrawals: most have the key, one has closed the account, one has none. */
const KEYS = [
  "maria@example.com",
  "maria@example.com",
  "maria@example.com",
  "fail@pixgate.test",
  "unknown@pixgate.test",
];

/** Takes out a part of what was sold, if it has arrived. */
async function takeOut(desk: Desk, { accountId }: Tenant, key: string, calls: CrowdCall[]): Promise<void> {
  const [amount, pixKey] = [200 + Math.floor(desk.random() * 20_000), pick(desk.random, KEYS)];
  const holder = { holderName: "Maria", holderDocument: "12345678909", holderDocumentType: "cpf" };
  const body = { amount: amount / 100, pixKey, pixKeyType: "email", ...holder };
  await desk.insist<{ id: string }>(
    (client) => client.post("/withdrawals", body, { headers: { "idempotency-key": key } }),
    (one) => calls.push({ accountId, key, amount, status: one.status, body: one.body && { id: one.body.id } }),
  );
}
