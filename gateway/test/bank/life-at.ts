/** What the lives of banks with an own API begin with: a gateway, and an institution there, behind a bridge to a simulator. */
import assert from "node:assert/strict";
import { after, afterEach, before } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { notificationPath } from "../../src/institutions/notification-path.ts";
import { balancesOf, type Merchant, newMerchant } from "../contract/money.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type Front, startSimulatorPsp } from "../harness/simulator-psp.ts";

type Bank = Awaited<ReturnType<typeof startSimulatorPsp>>;
type Wanted = {
  readonly policies?: Readonly<Record<string, boolean>>;
  readonly linkOf?: (isThere: boolean) => { readonly enabled: boolean; readonly priority?: number };
};

/** Starts it before the tests of a file, and ends it after them. The books hold after each. */
export function lifeAt(
  institution: { readonly name: string; readonly provider: string },
  startBridge: (bank: Bank) => Promise<Front>,
) {
  let gateway: TestGateway;
  let bank: Bank;
  let front: Front;
  let institutionId: string;
  const closers: (() => unknown)[] = [];
  const ctx = () => gateway.running.ctx;
  const address = () => gateway.running.url + notificationPath(ctx().keys, institutionId);

  before(async () => {
    gateway = await startGateway();
    bank = await startSimulatorPsp({ after: (close) => closers.push(close as () => unknown) });
    front = await startBridge(bank);
    const made = await gateway.operator.post<{ id: string }>("/institutions", {
      ...{ ...institution, environment: "sandbox" },
      config: front.settings,
    });
    assert.equal(made.status, 201, made.text);
    institutionId = made.body.id;
    if (front.enterAddress) return front.enterAddress(address());
    const { psp } = (await ctx().psps.find(institutionId))!;
    assert.deepEqual(await psp.registerNotifications!(address()), { kind: "accepted", value: null });
    assert.deepEqual(await psp.findNotifications!(), { kind: "found", value: address() });
  });
  afterEach(() => gateway.verify());
  after(async () => {
    await gateway.end();
    await front.close();
    for (const close of closers.reverse()) await close();
  });

  return {
    ...{ ctx, address },
    get gateway() {
      return gateway;
    },
    get bank() {
      return bank;
    },
    get front() {
      return front;
    },
    get institutionId() {
      return institutionId;
    },

    /** A merchant whose charges and payouts go there alone, or as `linkOf` says of the institution there and of others. */
    async newMerchant({ policies, linkOf = (isThere) => ({ enabled: isThere }) }: Wanted = {}): Promise<Merchant> {
      const made = await newMerchant(gateway);
      if (policies !== undefined) {
        const allowed = await gateway.operator.patch(`/accounts/${made.accountId}`, { policies });
        assert.equal(allowed.status, 200, allowed.text);
      }
      for (const one of await ctx().psps.all()) {
        const path = `/accounts/${made.accountId}/institutions/${one.institutionId}`;
        const link = linkOf(one.institutionId === institutionId);
        const linked = await gateway.operator.send("PUT", path, JSON.stringify(link));
        assert.equal(linked.status, 200, linked.text);
      }
      return made;
    },

    /** A charge of BRL 50 that its payer has paid. */
    async paid({ client }: Merchant): Promise<{ id: string; e2eId: string }> {
      const charge = await client.post<{ id: string }>("/pix", { amount: 50, description: "Pedido 1042" });
      assert.equal(charge.status, 201, charge.text);
      const { id } = charge.body;
      const { rows } = await ctx().db.query<{ txid: string }>(sql`select txid from charges where charge_id = ${id}`);
      const payment = await bank.control("POST", `/charges/${rows[0]!.txid}/pay`, {});
      await eventually(
        "the payment",
        async () => (await client.get(`/transactions/${id}`)).body.status === "completed",
      );
      return { id, e2eId: payment.e2eId };
    },

    /** What is available, and what is held. */
    async money({ client }: Merchant): Promise<[number, number]> {
      const { available, held } = await balancesOf(client);
      return [available, held];
    },
  };
}
