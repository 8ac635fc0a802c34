/** Anybody may change their own name, and nobody acts unseen under another's. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { personOf } from "../harness/operator.ts";

type Entry = {
  id: string;
  actor: string;
  action: string;
  before: object | null;
  after: object | null;
  createdAt: string;
};

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

const entries = async (query: string) => {
  const reply = await gateway.operator.get<{ items: Entry[] }>(`/audit-log?${query}`);
  assert.equal(reply.status, 200, reply.text);
  // Without how each of them came in.
  return reply.body.items.filter(({ action }) => action === "person.rename" || action === "account.update");
};

test("who takes a colleague's name for a while is found by the filter of persons, and the audit log has both renames", async () => {
  const [mallory, rosana] = [
    await personOf(gateway, "Mallory", "finance"),
    await personOf(gateway, "Rosana", "finance"),
  ];
  type Session = { person: { id: string; name: string; email: string } };
  const { person } = (await mallory.send<Session>("GET", "/console/api/session")).body;
  const other = (await rosana.send<Session>("GET", "/console/api/session")).body.person;
  const rename = async (body: object) => {
    const reply = await mallory.send("PATCH", "/console/api/me", body);
    assert.equal(reply.status, 204, reply.text);
  };
  await rename({ name: "Rosana" });
  const { accountId } = gateway.sandbox;
  const act = (by: typeof mallory, fixed: number) =>
    by.send("PATCH", `/operator/v1/accounts/${accountId}`, { fees: { charge: { fixed } } });
  assert.equal((await act(mallory, 0.5)).status, 200);
  await rename({ name: "Mallory" });
  // Neither is a change of the name.
  await rename({ language: "en" });
  await rename({ name: "Mallory" });
  assert.equal((await act(rosana, 0.6)).status, 200);

  for (const name of ["Mallory", "Rosana"]) {
    const found = await entries(`actor=${encodeURIComponent(`${name} <${person.email}>`)}`);
    assert.ok(found.every(({ actor }) => actor.endsWith(` <${person.email}>`)));
    assert.deepEqual(
      found.map(({ actor, action, before, after }) => [actor, action, ...(action === "person.rename" ? [before, after] : [])]),
      [
        [`Rosana <${person.email}>`, "person.rename", { name: "Rosana" }, { name: "Mallory" }],
        [`Rosana <${person.email}>`, "account.update"],
        [`Mallory <${person.email}>`, "person.rename", { name: "Mallory" }, { name: "Rosana" }],
      ],
    ); // biome-ignore format: one line
  }
  const hers = await entries(`actor=${encodeURIComponent(`Rosana <${other.email}>`)}`);
  assert.equal(hers.length, 1);
  // A name alone is that of a token, and finds nobody's address.
  assert.deepEqual(await entries("actor=Rosana"), []);
  const [newest] = hers;
  const at = encodeURIComponent(newest!.createdAt);
  const ofHer = `actor=${encodeURIComponent(newest!.actor)}`;
  assert.deepEqual((await entries(`${ofHer}&from=${at}`)).map(({ id }) => id), [newest!.id]); // biome-ignore format: one line
  assert.ok((await entries(`${ofHer}&to=${at}`)).every(({ id }) => id !== newest!.id));
});
