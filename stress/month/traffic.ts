import assert from "node:assert/strict";
import { sql } from "../../gateway/src/db/sql.ts";
import type { Client, Reply } from "../../gateway/test/harness/client.ts";
import { eventually } from "../../gateway/test/harness/eventually.ts";
import type { Random } from "../harness/random.ts";
import type { Shop, World } from "./world.ts";

type Sale = { readonly id: string; readonly e2eId: string; readonly txid: string; readonly amount: number };
/** The state of a shop that lasts from one day to the next. */
export type Memory = { contested: { readonly id: string; readonly amount: number } | null };

export const done = <T>(reply: Reply<T>, status = 200): T => {
  assert.equal(reply.status, status, reply.text);
  return reply.body;
};
/** BRL. */
const brl = (centavos: number): number => centavos / 100;

/** A shop's day: its kinds of work depend on the number of the day, the amounts are random. Centavos. */
export async function trade(world: World, shop: Shop, n: number, random: Random, memory: Memory): Promise<void> {
  const i = world.shops.indexOf(shop);
  const on = (every: number, turn = i): boolean => n % every === turn % every;
  const { control } = shop.bank;
  const sales: Sale[] = [];
  for (let left = 1 + ((n + i) % 3); left > 0; left -= 1) sales.push(await sell(shop, random, on(3)));
  const [first] = sales as [Sale];
  if (memory.contested) {
    const { id, amount } = memory.contested;
    const outcome = on(2) ? "rejected" : "accepted";
    const part = outcome === "accepted" ? { returnCentavos: Math.floor((amount * 6) / 10) } : {};
    done(await control.post(`/infractions/${id}/resolve`, { outcome, ...part }));
    memory.contested = null;
  }
  // A second payment of the charge: the gateway returns it.
  if (on(6)) done(await control.post("/pix", { txid: first.txid, amountCentavos: first.amount }));
  if (on(5)) done(await shop.client.post(`/transactions/${first.id}/refund`, {}), 201);
  else if (on(7)) {
    memory.contested = {
      id: done(await control.post<{ id: string }>("/infractions", { e2eId: first.e2eId })).id,
      amount: first.amount,
    };
  } else if (on(11)) done(await control.post(`/pix/${first.e2eId}/med-return`, { amountCentavos: 250 }));
  if (on(2)) await payOut(shop, 2_000 + Math.floor(random() * 4_000), on(4) ? [100] : on(8, i + 2) ? ["all"] : []);
  if (on(9)) await payOut(shop, 1_000, [], "fail@pixgate.test");
  if (on(3, i + 1)) done(await shop.client.post("/transfers", { subAccount: "loja", amount: brl(500 + n) }), 201);
  if (on(10)) {
    const given = { amount: brl(1_234 + n), balance: "available", reason: "goodwill" };
    done(await world.gateway.operator.post(`/accounts/${shop.accountId}/adjustments`, given), 201);
  }
  if (on(9, i + 4)) await decide(world, shop, 5_000 + n, n);
}

export async function sell(shop: Shop, random: Random, isSplit: boolean): Promise<Sale> {
  const amount = 3_000 + Math.floor(random() * 30_000);
  const split = isSplit ? { split: [{ subAccount: "loja", amount: brl(Math.floor(amount / 4)) }] } : {};
  const body = { amount: brl(amount), description: "A month", ...split };
  const { id } = done(await shop.client.post<{ id: string }>("/pix", body), 201);
  const { items } = done(
    await shop.bank.control.get<{ items: { txid: string; e2eIds: string[] }[] }>("/charges?limit=1"),
  );
  const { txid } = items[0]!;
  const { e2eId } = done(await shop.bank.control.post<{ e2eId: string }>(`/charges/${txid}/pay`));
  await ends(shop.client, `/transactions/${id}`, ["completed"]);
  return { id, e2eId, txid, amount };
}

/** Makes a withdrawal, of which the receiver may return a part. */
export async function payOut(
  shop: Shop,
  amount: number,
  back: readonly (number | "all")[],
  pixKey = "someone@example.com",
): Promise<void> {
  const holder = { holderName: "Someone", holderDocument: "52998224725", holderDocumentType: "cpf" };
  const body = { amount: brl(amount), pixKey, pixKeyType: "email", ...holder };
  const { id } = done(await shop.client.post<{ id: string }>("/withdrawals", body), 201);
  await ends(shop.client, `/withdrawals/${id}`, ["completed", "failed"]);
  for (const part of back) {
    const { items } = done(await shop.bank.control.get<{ items: { idEnvio: string }[] }>("/payouts?limit=1"));
    const amountCentavos = part === "all" ? {} : { amountCentavos: part };
    done(
      await shop.bank.control.post(`/payouts/${items[0]!.idEnvio}/settle`, { outcome: "reverse", ...amountCentavos }),
    );
  }
}

const ends = (client: Client, path: string, statuses: readonly string[]) =>
  eventually(
    `${path} to end`,
    async () => statuses.includes((await client.get<{ status: string }>(path)).body.status),
    60_000,
  );

/** Makes a Pix without a charge, which is booked as the operator's own money, returned, or left undecided. */
async function decide(world: World, { bank }: Shop, amount: number, n: number): Promise<void> {
  const { operator, owner } = world.gateway;
  const { e2eId } = done(await bank.control.post<{ e2eId: string }>("/pix", { amountCentavos: amount }));
  const id = await eventually(
    "the receipt",
    async () => {
      // A bank may not notify of a Pix without a charge. Its list shows the Pix, so the next listing, every 20 s, is
      // made due now.
      await owner.query(sql`update received_polls set next_at = ${new Date(0)}`);
      world.gateway.running.ctx.hints.wake("received");
      const { items } = (await operator.get<{ items: { id: string; e2eId: string }[] }>("/unmatched?kind=receipt"))
        .body;
      return items.find((one) => one.e2eId === e2eId)?.id;
    },
    60_000,
  );
  if (n % 3 === 0) return;
  if (n % 3 === 1) {
    done(await operator.post(`/unmatched/${id}/resolve`, { action: "return" }));
    return;
  }
  type Listed = { items: { id: string; objectId: string }[] };
  const { items } = done(await operator.get<Listed>("/cases?kind=unmatched_receipt&status=open&limit=100"));
  const about = items.find(({ objectId }) => objectId === id)!;
  done(await operator.post(`/cases/${about.id}/propose`, { action: "treasury", parameters: { kind: "top_up" } }));
}

/** The operator's own movements of a day: they happen at the institutions, then the operator records them. */
export async function runTreasury(world: World, n: number, occurredAt: string): Promise<void> {
  const record = async (kind: string, bank: number, amount: number, to?: number) => {
    const { banks, gateway } = world;
    const ids = {
      institutionId: banks[bank]!.institutionId,
      ...(to === undefined ? {} : { toInstitutionId: banks[to]!.institutionId }),
    };
    await world.move(banks[bank]!, kind === "top_up" ? amount : -amount);
    if (to !== undefined) await world.move(banks[to]!, amount);
    done(await gateway.operator.post("/treasury", { kind, ...ids, amount: brl(amount), occurredAt }), 201);
  };
  if (n === 1) for (const bank of [0, 1, 2]) await record("top_up", bank, 100_000 * (bank + 1));
  if (n % 10 === 9) for (const bank of [0, 1]) await record("sweep", bank, 2_000 + n);
  if (n === 15) for (const bank of [0, 1, 2]) await record("tariff", bank, 1_990);
  if (n % 12 === 5) await record("interbank", n % 3, 15_000 + n, (n + 1) % 3);
}
