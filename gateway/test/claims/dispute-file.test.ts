/** The file of a dispute: everything that the gateway knows of it, in one click, and nothing of anybody else. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { credentialOf, newAccount } from "../contract/merchant.ts";
import type { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { readFile } from "../harness/read-file.ts";
import { pagesOfPdf } from "../harness/read-pdf.ts";
import { startReceiver } from "../harness/receiver.ts";

type File = {
  block: { id: string; defense?: string };
  transaction?: { id: string; externalReference: string; metadata?: object };
  related: { type: string }[];
  statement: { kind: string; amount: number }[];
  deliveries: { event: string; endpointId?: string; endpoint?: string; status?: string; statusCode?: number }[];
  auditLog?: { seq: number; hash: string };
  leftOut: string[];
};

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(async () => {
  await gateway.verify();
  await gateway.end();
});

/** A contested order of R$ 100.00. */
async function contested(
  client: Client,
  externalReference: string,
  more: object = { tracking: "BR123" },
): Promise<{ block: string; charge: string }> {
  const order = { amount: 100, description: "Luminária de mesa", externalReference, metadata: more };
  const charge = await client.post<{ id: string }>("/pix", order);
  assert.equal(charge.status, 201, charge.text);
  const paid = await client.post(`/sandbox/pix/${charge.body.id}/pay`, {});
  assert.equal(paid.status, 200, paid.text);
  const block = await client.post<{ id: string }>("/sandbox/balance-blocks", {
    transactionId: charge.body.id,
    reason: "Não recebi a encomenda",
  });
  assert.equal(block.status, 201, block.text);
  return { block: block.body.id, charge: charge.body.id };
}

test("the file has the dispute, the order, the ledger's lines, and what the merchant's system answered to the events", async () => {
  const receiver = await startReceiver();
  try {
    const endpoint = await gateway.merchant.post<{ id: string }>("/webhook-endpoints", {
      url: `${receiver.url}/hooks/T0SECRET?token=SECRET123`,
      events: ["payment_completed"],
    });
    assert.equal(endpoint.status, 201, endpoint.text);
    const { block, charge } = await contested(gateway.merchant, "order-10482");
    const other = await contested(gateway.merchant, "order-10483");
    const defense = "Pedido 10482: entregue em 20/11 a Ana Pessoa.";
    await gateway.merchant.post(`/balance-blocks/${block}/defense`, { text: defense });
    const file = await eventually("the delivery of the payment's event", async () => {
      const { body } = await gateway.merchant.get<File>(`/balance-blocks/${block}/file`);
      return body.deliveries.some(({ status }) => status === "delivered") ? body : undefined;
    });
    assert.deepEqual([file.block.id, file.block.defense, file.transaction!.id], [block, defense, charge]);
    const kinds = file.statement.map(({ kind }) => kind).sort();
    assert.deepEqual(kinds, ["block_held", "block_held", "charge_fee", "charge_paid"]);
    const told = file.deliveries.find(({ event }) => event === "payment_completed")!;
    assert.deepEqual([told.endpoint, told.statusCode], [new URL(receiver.url).origin, 200]);
    assert.equal(told.endpointId, endpoint.body.id);
    assert.doesNotMatch(JSON.stringify(file), /T0SECRET|SECRET123/);
    assert.ok(file.deliveries.some(({ event, endpoint: to }) => event === "balance_block_created" && to === undefined));
    assert.deepEqual(file.leftOut, []);
    assert.ok(!JSON.stringify(file).includes(other.charge) && !JSON.stringify(file).includes("order-10483"));

    const pdf = await readFile(gateway.merchant, `/balance-blocks/${block}/file`, "application/pdf");
    assert.deepEqual([pdf.status, pdf.type], [200, "application/pdf"]);
    const text = pagesOfPdf(pdf.bytes).join("\n");
    for (const shown of [
      "order-10482",
      "Não recebi a encomenda",
      "Luminária de mesa",
      "BR123",
      defense,
      "payment_completed",
    ])
      assert.ok(text.includes(shown), `${shown} in ${text}`);
    assert.match(text, /^Dossiê da contestação/);
    assert.doesNotMatch(text, /T0SECRET|SECRET123/);
    const english = await readFile(gateway.merchant, `/balance-blocks/${block}/file?language=en`, "application/pdf");
    assert.match(pagesOfPdf(english.bytes)[0]!, /^File of the dispute/);
  } finally {
    await receiver.close();
  }
});

test("metadata of thousands of values, or of one endless word, makes a paper of few pages, which says where the rest is", async () => {
  for (const metadata of [{ items: new Array(7_500).fill(0) }, { receipt: "x".repeat(16_000) }]) {
    const { block } = await contested(gateway.merchant, "order-40001", metadata);
    const { status, bytes } = await readFile(gateway.merchant, `/balance-blocks/${block}/file`, "application/pdf");
    assert.equal(status, 200, bytes.toString().slice(0, 300));
    const pages = pagesOfPdf(bytes);
    assert.ok(pages.length <= 4, `${pages.length} pages`);
    assert.match(pages.join(" ").replaceAll("\n", " "), /\(o restante está em dispute\.json\)/);
    const whole = await gateway.merchant.get<File>(`/balance-blocks/${block}/file`);
    assert.deepEqual(whole.body.transaction!.metadata, metadata);
  }
});

test("the archive has the paper and its data, whose digest the paper bears", async () => {
  const { block } = await contested(gateway.merchant, "order-20001");
  const { status, type, bytes } = await readFile(gateway.merchant, `/balance-blocks/${block}/file`, "application/zip");
  assert.deepEqual([status, type], [200, "application/zip"]);
  const [paper, data] = filesOf(bytes);
  assert.deepEqual([paper!.name, data!.name], ["dispute.pdf", "dispute.json"]);
  const file = JSON.parse(data!.bytes.toString()) as File;
  assert.equal(file.block.id, block);
  const digest = createHash("sha256").update(data!.bytes).digest("hex");
  assert.ok(pagesOfPdf(paper!.bytes).join("").replaceAll("\n", "").includes(digest));
});

test("a caller gets what it may read, and is told what was left out; another account's block does not exist", async () => {
  const { block, charge } = await contested(gateway.merchant, "order-30001");
  const narrow = await credentialOf(gateway, gateway.sandbox.accountId, { permissions: ["BALANCE_BLOCK:READ"] });
  const { status, body } = await narrow.get<File>(`/balance-blocks/${block}/file`);
  assert.equal(status, 200);
  assert.deepEqual([body.transaction, body.related, body.statement, body.deliveries], [undefined, [], [], []]);
  assert.deepEqual(body.leftOut, ["TRANSACTION:READ", "ACCOUNT:READ", "WEBHOOK:READ"]);
  assert.equal((body.block as { transactionId?: string }).transactionId, charge);
  const none = await credentialOf(gateway, gateway.sandbox.accountId, {
    permissions: ["TRANSACTION:READ", "ACCOUNT:READ"],
  });
  assert.equal((await none.get(`/balance-blocks/${block}/file`)).status, 403);
  const stranger = await credentialOf(gateway, await newAccount(gateway));
  for (const accept of ["application/json", "application/pdf", "application/zip"])
    assert.equal((await readFile(stranger, `/balance-blocks/${block}/file`, accept)).status, 404);
});

/** The files of an archive that stores them as they are. */
function filesOf(bytes: Buffer): { name: string; bytes: Buffer }[] {
  const found: { name: string; bytes: Buffer }[] = [];
  for (let at = 0; bytes.readUInt32LE(at) === 0x04034b50; ) {
    const [size, length] = [bytes.readUInt32LE(at + 18), bytes.readUInt16LE(at + 26)];
    const from = at + 30 + length;
    found.push({ name: bytes.toString("utf8", at + 30, from), bytes: bytes.subarray(from, from + size) });
    at = from + size;
  }
  return found;
}
