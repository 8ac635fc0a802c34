/** What one process has just changed of an institution is not refused by another one, whose list of them is a second old. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { notificationPath } from "../../src/institutions/notification-path.ts";
import { createPsps } from "../../src/institutions/registry.ts";
import { BANKS } from "../../src/psp/catalogue.ts";
import { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { startBeside } from "../harness/process.ts";
import { silentInstitution } from "../hostile/notifications.ts";

let gateway: TestGateway;
/** Its API, beside the gateway's. */
let other: Awaited<ReturnType<typeof startBeside>>;
before(async () => {
  gateway = await startGateway({ PIXGATE_TRUSTED_PROXIES: "127.0.0.1" });
  other = await startBeside(gateway, { PIXGATE_TRUSTED_PROXIES: "127.0.0.1", PIXGATE_ROLE: "api" });
});
after(async () => {
  await other?.stop();
  await gateway.end();
});

async function notify(url: string, path: string, from = "192.0.2.1"): Promise<number> {
  const headers = { "x-forwarded-for": from };
  const response = await fetch(url + path, { method: "POST", body: '{"evento":"teste"}', headers });
  await response.arrayBuffer();
  return response.status;
}
/** The other process reads all institutions: for a second it has them as they are now. */
const warm = () => notify(other.url, `/psp/${randomUUID()}/unknown`);

test("a notification of an institution that has just been made is taken", async () => {
  await warm();
  const { path } = await silentInstitution(gateway);
  assert.equal(await notify(other.url, path), 200);
});

test("so is one on a path that has just been rotated, and the path before is nothing", async () => {
  const { id, path } = await silentInstitution(gateway);
  await warm();
  const rotated = await gateway.operator.post(`/institutions/${id}/rotate-notification-path`, {});
  assert.ok(rotated.status < 300, rotated.text);
  assert.equal(await notify(other.url, notificationPath(gateway.running.ctx.keys, id, 1)), 200);
  assert.equal(await notify(other.url, path), 404);
});

test("so is one from an address that has just been allowed", async () => {
  const { id, path } = await silentInstitution(gateway, { notificationIps: ["192.0.2.9"] });
  assert.equal(await notify(other.url, path), 403);
  const changed = await gateway.operator.patch(`/institutions/${id}`, { config: { notificationIps: ["192.0.2.1"] } });
  assert.equal(changed.status, 200, changed.text);
  assert.equal(await notify(other.url, path), 200);
});

test("a charge of an account whose first institution has just been linked is issued", async () => {
  const { body: account } = await gateway.operator.post<{ id: string }>("/accounts", { name: "Shop" });
  const { body: credential } = await gateway.operator.post<{ clientId: string; clientSecret: string }>(
    `/accounts/${account.id}/credentials`,
    { name: "shop", permissions: ["PIX:WRITE"] },
  );
  const shop = await new Client(`${other.url}/v2`).login(credential.clientId, credential.clientSecret);
  const charge = () => shop.post<{ details?: { code: string } }>("/pix", { amount: 10, description: "d" });
  const { rows } = await gateway.running.ctx.db.query<{ id: string }>(
    sql`select institution_id as id from account_institutions where account_id = ${account.id}`,
  );
  assert.equal(rows.length, 1, "a new account of the sandbox has its bank");
  const link = async (enabled: boolean) => {
    const path = `/accounts/${account.id}/institutions/${rows[0]!.id}`;
    const linked = await gateway.operator.send("PUT", path, JSON.stringify({ enabled }));
    assert.ok(linked.status < 300, linked.text);
  };
  await link(false);
  // Until it is refused: the other process may have the link for a second.
  const refused = await eventually("the charge to be refused", async () => {
    const answer = await charge();
    return answer.status !== 201 && answer;
  });
  assert.equal(refused.body.details?.code, "PSP_UNAVAILABLE", refused.text);
  await link(true);
  const issued = await charge();
  assert.equal(issued.status, 201, issued.text);
});

test("a thousand strangers who try paths at once cost the database two readings", async () => {
  const { config: _, ...parts } = gateway.running.ctx;
  let readings = 0;
  const db = new Proxy(parts.db, {
    get(target, name, self) {
      if (name !== "query") return Reflect.get(target, name, self);
      return (...args: Parameters<typeof target.query>) => {
        readings += 1;
        return target.query(...args);
      };
    },
  });
  const psps = createPsps({ ...parts, db, banks: BANKS });
  const found = await Promise.all(Array.from({ length: 1_000 }, () => psps.find(randomUUID())));
  assert.deepEqual(new Set(found), new Set([null]));
  assert.equal(readings, 2);
  await psps.close();
});
