/** A bank whose sandbox pays by itself takes no command: `/v2/sandbox` says so, and nothing moves. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { BANKS } from "../../src/psp/catalogue.ts";
import { assertRefused } from "../contract/refusal.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { startSimulatorPsp } from "../harness/simulator-psp.ts";

let gateway: TestGateway;
const closers: (() => unknown)[] = [];
before(async () => {
  gateway = await startGateway();
});
after(async () => {
  await gateway.end();
  for (const close of closers.reverse()) await close();
});

const itself = BANKS.find((bank) => bank.capabilities({}).sandboxPayment === "by_itself")!;

test("a charge at a bank that pays small ones by itself is paid by no command, and stays as it was", async () => {
  const bank = await startSimulatorPsp({ after: (end) => closers.push(end as () => unknown) });
  const { clientId, clientSecret, pixKey } = bank.credentials;
  const made = await gateway.operator.post<{ id: string }>("/institutions", {
    ...{ name: "By itself", provider: itself.id, environment: "sandbox", priority: 1 },
    config: { baseUrl: `${bank.url}/v2`, tokenUrl: `${bank.url}/oauth/token`, clientId, clientSecret, pixKey },
  });
  assert.equal(made.status, 201, made.text);
  const path = `/accounts/${gateway.sandbox.accountId}/institutions/${made.body.id}`;
  const linked = await gateway.operator.send("PUT", path, JSON.stringify({ enabled: true }));
  assert.equal(linked.status, 200, linked.text);
  const charge = await gateway.merchant.post<{ id: string }>("/pix", { amount: 25, description: "Cesta" });
  assert.equal(charge.status, 201, charge.text);
  const read = async () =>
    (
      await gateway.owner.query<{ institution_id: string; status: string }>(sql`
        select institution_id, status from charges where charge_id = ${charge.body.id}`)
    ).rows;
  assert.deepEqual(await read(), [{ institution_id: made.body.id, status: "pending" }]);
  const paid = await gateway.merchant.post(`/sandbox/pix/${charge.body.id}/pay`, {});
  assertRefused(paid, 400, "CHARGE_NOT_PAYABLE");
  assert.match(paid.text, /pays small charges by itself/);
  assert.deepEqual(await read(), [{ institution_id: made.body.id, status: "pending" }]);
});
