/** A merchant whose charges and payouts go to Asaas alone: its bridge in front of a simulator, behind the whole gateway. */
import assert from "node:assert/strict";
import { notificationPath } from "../../src/institutions/notification-path.ts";
import { newMerchant } from "../contract/money.ts";
import type { TestGateway } from "../harness/gateway.ts";
import { startSimulatorPsp } from "../harness/simulator-psp.ts";
import { startAsaas } from "./bridges/asaas.ts";

/** @param closers gets what ends the bank, to be called in the opposite order. */
export async function startMerchantAtAsaas(gateway: TestGateway, closers: (() => unknown)[]) {
  const simulator = await startSimulatorPsp({ after: (close) => closers.push(close as () => unknown) });
  const asaas = await startAsaas(simulator);
  closers.push(asaas.close);
  const { controlToken } = simulator.credentials;
  const made = await gateway.operator.post<{ id: string }>("/institutions", {
    ...{ name: "Asaas", provider: "asaas", environment: "sandbox" },
    config: {
      ...{ ...asaas.settings, timeoutMs: 5_000 },
      ...{ controlUrl: `${simulator.url}/control`, controlToken },
    },
  });
  assert.equal(made.status, 201, made.text);
  const merchant = await newMerchant(gateway);
  const { psps } = gateway.running.ctx;
  const policies = { uncheckedHolders: true };
  assert.equal((await gateway.operator.patch(`/accounts/${merchant.accountId}`, { policies })).status, 200);
  for (const one of await psps.all()) {
    const path = `/accounts/${merchant.accountId}/institutions/${one.institutionId}`;
    const enabled = JSON.stringify({ enabled: one.institutionId === made.body.id });
    assert.equal((await gateway.operator.send("PUT", path, enabled)).status, 200);
  }
  // As the gateway's own test of a connection does it, which needs an address of the gateway that the bank can reach.
  const { psp, institutionId, notificationGeneration } = (await psps.find(made.body.id))!;
  const address = `${gateway.running.url}${notificationPath(gateway.running.ctx.keys, institutionId, notificationGeneration)}`;
  assert.equal((await psp.registerNotifications!(address)).kind, "accepted");
  return { simulator, merchant, institutionId, address };
}
