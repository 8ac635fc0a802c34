import assert from "node:assert/strict";
import type { TestGateway } from "./gateway.ts";
import { startSimulatorPsp } from "./simulator-psp.ts";

/** A second bank of a gateway, of a profile of API Pix, which a simulator of its own plays. `after` takes what ends it. */
export async function addProfileBank(
  gateway: TestGateway,
  profile: string,
  after: (end: () => unknown) => void,
  more: Readonly<Record<string, string>> = {},
) {
  const bank = await startSimulatorPsp({ after: (end) => after(end as () => unknown) });
  const { clientId, clientSecret, pixKey } = bank.credentials;
  const addresses = { baseUrl: `${bank.url}/v2`, tokenUrl: `${bank.url}/oauth/token`, tokenAuth: "basic" };
  const made = await gateway.operator.post<{ id: string }>("/institutions", {
    ...{ name: profile, provider: "api-pix", environment: "sandbox" },
    config: { profile, ...addresses, clientId, clientSecret, pixKey, ...more },
  });
  assert.equal(made.status, 201, made.text);
  return { bank, id: made.body.id, pixKey };
}
