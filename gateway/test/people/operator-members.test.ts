/** People listed and removed by the operator API, as `pixgate people` does it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { assertRefused } from "../contract/refusal.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import { Client } from "../harness/client.ts";
import { waitingForLocks } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Person = { id: string; name: string; email: string | null; role: string };

let gateway: TestGateway;
let admin: Browser;
let adminId: string;
before(async () => {
  gateway = await startGateway();
  admin = await new Browser(gateway).use(firstLink(gateway));
  adminId = await idOf(admin);
});
after(() => gateway.stop());

async function join(email: string, role: string, accountId?: string): Promise<Browser> {
  const body = { email, role, ...(accountId && { accountId }) };
  const { link } = (await gateway.operator.post<{ link: string }>("/people", body)).body;
  return new Browser(gateway).use(link.split("#link=")[1]!);
}
async function people(accountId?: string): Promise<Person[]> {
  const path = accountId === undefined ? "/people" : `/people?accountId=${accountId}`;
  return (await gateway.operator.get<{ items: Person[] }>(path)).body.items;
}
const idOf = async (browser: Browser): Promise<string> =>
  (await browser.send<{ person: { id: string } }>("GET", "/console/api/session")).body.person.id;
/** Calls by a new operator token of an admin who is new too. */
async function adminsToken(email: string): Promise<{ id: string; by: Client }> {
  const browser = await join(email, "admin");
  const made = await browser.send<{ token: string }>("POST", "/operator/v1/tokens", { name: email, role: "admin" });
  assert.equal(made.status, 201, made.text);
  return { id: await idOf(browser), by: new Client(gateway.sandbox.operatorUrl).withToken(made.body.token) };
}
const entries = async (): Promise<{ action: string; object_id: string; actor: string }[]> =>
  (
    await gateway.owner.query<{ action: string; object_id: string; actor: string }>(sql`
      select action, object_id, actor from audit_log where action = 'person.remove' order by audit_id`)
  ).rows;

test("everybody with a role is listed, in the installation and in an account", async () => {
  await join("bia@example.com", "finance");
  assert.deepEqual(
    (await people()).map(({ email, role }) => [email, role]).filter(([email]) => email === "bia@example.com"),
    [["bia@example.com", "finance"]],
  );
  const accountId = (await gateway.operator.get<{ items: { id: string }[] }>("/accounts")).body.items[0]!.id;
  await join("caio@example.com", "viewer", accountId);
  assert.ok((await people(accountId)).some(({ email, role }) => email === "caio@example.com" && role === "viewer"));
  assert.ok(!(await people()).some(({ email }) => email === "caio@example.com"));
});

test("whoever is removed has no session any more, and the audit log says who did it", async () => {
  const dora = await join("dora@example.com", "support");
  const { id } = (await people()).find(({ email }) => email === "dora@example.com")!;
  const before = await entries();
  assert.equal((await gateway.operator.send("DELETE", `/people/${id}`, undefined)).status, 204);
  assert.equal((await dora.send("GET", "/console/api/session")).status, 401);
  assert.ok(!(await people()).some((one) => one.id === id));
  const [entry, ...more] = (await entries()).slice(before.length);
  assert.deepEqual([entry?.object_id, entry?.actor, more.length], [id, "operator", 0]);
  assertRefused(await gateway.operator.send("DELETE", `/people/${id}`, undefined), 404, "RESOURCE_NOT_FOUND");
});

test("what the person had made ends or goes on only as whoever removes says, and is asked for in an account too", async () => {
  const accountId = (await gateway.operator.get<{ items: { id: string }[] }>("/accounts")).body.items[0]!.id;
  const owner = await join("fabio@example.com", "owner", accountId);
  const credential = { name: "shop", permissions: ["ACCOUNT:READ"] };
  const made = await owner.send<{ id: string }>("POST", `/console/api/accounts/${accountId}/credentials`, credential);
  assert.equal(made.status, 201, made.text);
  const path = `/people/${await idOf(owner)}?accountId=${accountId}`;
  const works = async () =>
    (
      await gateway.owner.query(sql`
        select from credentials where credential_id = ${made.body.id} and revoked_at is null`)
    ).rowCount === 1;
  const before = [await people(accountId), await entries()];
  assertRefused(await gateway.operator.send("DELETE", path, undefined), 409, "ENDS_WITH_MAKER");
  assert.deepEqual([await people(accountId), await entries(), await works()], [...before, true]);
  assert.equal((await gateway.operator.send("DELETE", `${path}&made=end`, undefined)).status, 204);
  assert.equal(await works(), false);
  assert.equal((await owner.send("GET", "/console/api/session")).status, 401);
});

test("a token removes nobody who is behind it, and then nothing has changed", async () => {
  const { id, by } = await adminsToken("gil@example.com");
  const before = [await people(), await entries()];
  assertRefused(await by.send("DELETE", `/people/${id}?made=adopt`, undefined), 400, "VALIDATION_ERROR");
  assert.deepEqual([await people(), await entries()], before);
});

test("of two whose tokens remove each other at once stays one", async () => {
  const [hugo, ivo] = [await adminsToken("hugo@example.com"), await adminsToken("ivo@example.com")];
  // Both calls are admitted before either changes anything.
  const { answers } = await gateway.owner.transaction(async (tx) => {
    await tx.query(sql`select from people where person_id in (${hugo.id}, ${ivo.id}) for update`);
    const answers = [
      hugo.by.send("DELETE", `/people/${ivo.id}?made=end`, undefined),
      ivo.by.send("DELETE", `/people/${hugo.id}?made=end`, undefined),
    ];
    await eventually("both calls to wait", async () => (await waitingForLocks(gateway.databaseUrl)) === 2);
    return { answers };
  });
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), [204, 401]);
  assert.equal((await people()).filter(({ id }) => id === hugo.id || id === ivo.id).length, 1);
});

test("nobody removes themselves, nor anybody without a sign-in of now, and then nothing has changed", async () => {
  await join("eva@example.com", "auditor");
  const before = [await people(), await entries()];
  const { id } = (await people()).find(({ email }) => email === "eva@example.com")!;
  assertRefused(await admin.send("DELETE", `/operator/v1/people/${adminId}`), 400, "VALIDATION_ERROR");
  await gateway.owner.query(sql`update people set always_fresh = false`);
  await gateway.owner.query(sql`update sessions set fresh_until = created_at`);
  assertRefused(await admin.send("DELETE", `/operator/v1/people/${id}`), 403, "FRESH_SIGN_IN_REQUIRED");
  assert.deepEqual([await people(), await entries()], before);
});
