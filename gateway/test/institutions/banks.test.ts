/** What an institution may be, as the operator API says it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { BANKS } from "../../src/psp/catalogue.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Can = { receivedList: string; payers: string; payouts: { to: string[] } | null; maxAmount: number | null };
type Known = { profile: string; name: string; sandbox: boolean; capabilities: Can; unverified: string[] };
type Entry = Omit<Known, "profile" | "sandbox"> & {
  id: string;
  simulated: boolean;
  settings: { properties: Record<string, { description?: string; writeOnly?: true }> };
  profiles: Known[];
};

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

test("each bank with an adapter is listed with what it can do, takes and has unconfirmed, and those that it knows by name", async () => {
  const { status, body, text } = await gateway.operator.get<{ items: Entry[] }>("/banks");
  assert.equal(status, 200, text);
  assert.deepEqual(
    body.items.map(({ id, simulated }) => [id, simulated]),
    BANKS.map(({ id, simulated }) => [id, simulated]),
  );
  const [apiPix, efi] = ["api-pix", "efi"].map((id) => body.items.find((bank) => bank.id === id)!);
  assert.deepEqual([apiPix?.capabilities.payouts, efi?.capabilities.payouts?.to], [null, ["key"]]);
  const inter = apiPix?.profiles.find(({ profile }) => profile === "inter");
  assert.deepEqual(
    [inter?.name, inter?.sandbox, inter?.capabilities.receivedList, inter?.capabilities.payers],
    ["Inter", true, "charges_only", "never"],
  );
  assert.ok((inter?.unverified.length ?? 0) > 0);
  assert.deepEqual(efi?.profiles, []);
  for (const { settings } of body.items) {
    const { pixKey, notificationIps } = settings.properties;
    // A bank with an API of its own names its secret as that API does, and may know no key.
    assert.ok(Object.values(settings.properties).some(({ writeOnly }) => writeOnly));
    assert.equal(pixKey?.writeOnly, undefined);
    assert.match(notificationIps?.description ?? "", /notifications may come from/);
  }
});

test("it is for operators: a merchant's token is refused", async () => {
  const url = `${gateway.running.url}/operator/v1/banks`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${gateway.merchant.token}` } });
  assert.equal(answer.status, 401);
  await answer.arrayBuffer();
});
