/** A gateway that stands still for longer than a call to a bank may take: that is not the bank's fault. */
import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { newMerchant } from "../contract/money.ts";
import { Client } from "../harness/client.ts";
import { eventually, pause } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type GatewayProcess, startBeside } from "../harness/process.ts";

/** The time-out is longer than a busy machine takes until all charges are on their way. */
const [CONNECTIONS, TIMEOUT, CHARGES] = [4, 5_000, 20];

let gateway: TestGateway;
let second: GatewayProcess;
before(async () => {
  gateway = await startGateway({ PIXGATE_ROLE: "api" });
  second = await startBeside(gateway, { PIXGATE_ROLE: "api" });
});
after(async () => {
  second.child.kill("SIGCONT");
  await second.stop();
  await gateway.end();
});

/** A bank of API Pix that holds its charges until it is let go. */
async function startBank() {
  let held: (() => void)[] | null = [];
  let creations = 0;
  const answer = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    if (request.url === "/token") return answer(response, 200, { access_token: "t", expires_in: 3600 });
    if (request.method !== "PUT") return answer(response, 404, { status: 404, title: "NaoEncontrado" });
    creations += 1;
    const txid = request.url!.split("/").at(-1)!;
    const { calendario, ...cob } = JSON.parse(body) as { calendario: object };
    const made = { ...cob, calendario: { ...calendario, criacao: new Date().toISOString() }, txid, status: "ATIVA" };
    const end = () => answer(response, 201, { ...made, revisao: 0, pixCopiaECola: `00020101021226${txid}` });
    if (held === null) end();
    else held.push(end);
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    creations: () => creations,
    letGo() {
      for (const end of held ?? []) end();
      held = null;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

test("charges that were under way or waited for a connection are issued, once each, and the bank stays up", async (t) => {
  const bank = await startBank();
  t.after(() => bank.close());
  const made = await gateway.operator.post<{ id: string }>("/institutions", {
    ...{ name: "Held", provider: "api-pix", environment: "sandbox" },
    config: {
      ...{ baseUrl: `${bank.url}/v2`, tokenUrl: `${bank.url}/token`, clientId: "c", clientSecret: "secret" },
      ...{ pixKey: "a@example.com", maxConnections: CONNECTIONS, timeoutMs: TIMEOUT },
    },
  });
  assert.equal(made.status, 201, made.text);
  const { accountId, client } = await newMerchant(gateway);
  const list = await gateway.operator.get<{ items: { id: string }[] }>("/institutions");
  for (const { id } of list.body.items) {
    const link = JSON.stringify({ enabled: id === made.body.id });
    const linked = await gateway.operator.send("PUT", `/accounts/${accountId}/institutions/${id}`, link);
    assert.equal(linked.status, 200, linked.text);
  }
  const merchant = new Client(`${second.url}/v2`).withToken(client.token);
  const charge = () => merchant.post("/pix", { amount: 10, description: "d" });

  const charges = Array.from({ length: CHARGES }, charge);
  const stored = async () =>
    (await gateway.owner.query(sql`select from charges where account_id = ${accountId} and status = 'creating'`))
      .rowCount;
  await eventually("all to be stored, and as many sent as there are connections", async () => {
    return bank.creations() === CONNECTIONS && (await stored()) === CHARGES;
  });
  second.child.kill("SIGSTOP");
  bank.letGo();
  await pause(TIMEOUT + 2_000);
  second.child.kill("SIGCONT");

  const replies = await Promise.all(charges);
  const others = replies.filter(({ status }) => status !== 201);
  const why = () => `${second.stdout()}${second.stderr()}`.match(/.*a charge was not issued.*/g)?.[0];
  assert.equal(others.length, 0, `${others.length} of ${CHARGES} failed, the first: ${others[0]?.text} ${why()}`);
  assert.equal(bank.creations(), CHARGES);
  const operator = new Client(gateway.sandbox.operatorUrl.replace(/^https?:\/\/[^/]+/, second.url));
  operator.withToken(gateway.sandbox.operatorToken);
  const shown = await operator.get<{ items: { id: string; health: string }[] }>("/institutions");
  assert.equal(shown.body.items.find(({ id }) => id === made.body.id)!.health, "up");
  assert.equal((await charge()).status, 201);
});
