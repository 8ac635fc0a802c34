/** Files as evidence in a dispute: what is taken, that it is kept encrypted, given out whole, and stays once it was used. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Pixgate } from "../../../sdk/src/index.ts";
import { sql } from "../../src/db/sql.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { purgeOld } from "../../src/retention/purge.ts";
import { credentialOf, newAccount } from "../contract/merchant.ts";
import { assertRefused } from "../contract/refusal.ts";
import type { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { addEvidence, type EvidenceFile, JPEG, png } from "../harness/evidence.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { readFile } from "../harness/read-file.ts";
import { pagesOfPdf } from "../harness/read-pdf.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(async () => {
  await gateway.verify();
  await gateway.end();
});

const BIN = fileURLToPath(new URL("../../bin/pixgate.mjs", import.meta.url));
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** A contested payment of R$ 100.00: the id of its block. */
async function contested(client: Client = gateway.merchant): Promise<string> {
  const charge = await client.post<{ id: string }>("/pix", { amount: 100, description: "Luminária" });
  assert.equal(charge.status, 201, charge.text);
  assert.equal((await client.post(`/sandbox/pix/${charge.body.id}/pay`, {})).status, 200);
  const block = await client.post<{ id: string }>("/sandbox/balance-blocks", {
    transactionId: charge.body.id,
    reason: "Não recebi",
  });
  assert.equal(block.status, 201, block.text);
  return block.body.id;
}

const list = async (client: Client, block: string) =>
  (await client.get<{ items: EvidenceFile[] }>(`/balance-blocks/${block}/files`)).body.items;

async function rowsOf(block: string): Promise<{ name: string; sealed_content: Buffer; sealed_key: string }[]> {
  const { rows } = await gateway.owner.query<{ name: string; sealed_content: Buffer; sealed_key: string }>(
    sql`select name, sealed_content, sealed_key from balance_block_files where block_id = ${block} order by file_id`,
  );
  return rows;
}

describe("a file of a dispute", () => {
  test("is kept encrypted, given out byte for byte for storing only, and is part of the dispute's file", async () => {
    const { merchant } = gateway;
    const block = await contested();
    const paper = (await readFile(merchant, `/balance-blocks/${block}/file`, "application/pdf")).bytes;
    const sent = [
      { content: paper, name: 'nota "fiscal" (ação).pdf', type: "application/pdf" },
      { content: png(7), name: "recibo.png", type: "image/png" },
      { content: JPEG, name: "entrega.jpg", type: "image/jpeg" },
    ];
    for (const one of sent) {
      const added = await addEvidence(merchant, block, one);
      assert.equal(added.status, 201, added.text);
      const { id: _, ...shown } = added.body;
      const { createdAt, ...facts } = shown as typeof shown & { createdAt: string };
      assert.ok(Date.parse(createdAt) > 0);
      assert.deepEqual(facts, {
        name: one.name,
        mediaType: one.type,
        size: one.content.length,
        sha256: sha256(one.content),
      });
    }
    const files = await list(merchant, block);
    assert.deepEqual(
      files.map(({ name }) => name),
      sent.map(({ name }) => name).reverse(),
    );
    const [first] = await rowsOf(block);
    assert.ok(!first!.sealed_content.includes("%PDF") && !first!.sealed_content.includes(paper.subarray(100, 150)));

    const path = `/balance-blocks/${block}/files/${files[2]!.id}`;
    const got = await merchant.get(path, { headers: { accept: "application/octet-stream" } });
    assert.equal(got.headers.get("x-content-type-options"), "nosniff");
    assert.match(got.headers.get("content-security-policy")!, /sandbox/);
    assert.equal(
      got.headers.get("content-disposition"),
      "attachment; filename*=UTF-8''nota%20%22fiscal%22%20%28a%C3%A7%C3%A3o%29.pdf",
    );
    const { type, bytes } = await readFile(merchant, path, "application/octet-stream");
    assert.deepEqual([type, bytes.equals(paper)], ["application/octet-stream", true]);
    assert.deepEqual((await merchant.get(path)).body, files[2]);

    const archive = (await readFile(merchant, `/balance-blocks/${block}/file`, "application/zip")).bytes;
    for (const { content } of sent) assert.ok(archive.includes(content));
    for (const name of ["evidence-01.pdf", "evidence-02.png", "evidence-03.jpg"]) assert.ok(archive.includes(name));
    const pdf = (await readFile(merchant, `/balance-blocks/${block}/file`, "application/pdf")).bytes;
    const text = pagesOfPdf(pdf).join("").replaceAll("\n", "");
    for (const { sha256: digest } of files) assert.ok(text.includes(digest), digest);
  });

  test("sent twice is one, under the same key and under another, and a repeat after a lost answer gets the answer", async () => {
    const block = await contested();
    const headers = { "idempotency-key": `file-${randomUUID()}` };
    const first = await addEvidence(gateway.merchant, block, { headers });
    const again = await addEvidence(gateway.merchant, block, { headers });
    assert.deepEqual([again.status, again.headers.get("idempotent-replayed")], [201, "true"]);
    const renamed = await addEvidence(gateway.merchant, block, { name: "other.png" });
    assert.deepEqual([again.body, renamed.body], [first.body, first.body]);
    const other = await addEvidence(gateway.merchant, block, { headers, content: png(9) });
    assertRefused(other, 422, "IDEMPOTENCY_KEY_REUSED");
    const both = await Promise.all([1, 2].map(() => addEvidence(gateway.merchant, block, { content: png(5) })));
    assert.equal(both[0]!.body.id, both[1]!.body.id);
    assert.equal((await list(gateway.merchant, block)).length, 2);
  });

  test("that is not what it says, or none of the types, too large, or with a path for a name is refused, and nothing is kept", async () => {
    const block = await contested();
    const add = (sent: Parameters<typeof addEvidence>[2]) => addEvidence(gateway.merchant, block, sent);
    const script = Buffer.from("<svg onload=alert(1)>");
    const trailing = Buffer.concat([png(), script]);
    const wrong: [Parameters<typeof addEvidence>[2], number, string][] = [
      [{ content: JPEG }, 400, "VALIDATION_ERROR"],
      [{ content: png(), type: "application/pdf", name: "a.pdf" }, 400, "VALIDATION_ERROR"],
      [{ content: script }, 400, "VALIDATION_ERROR"],
      [{ content: trailing }, 400, "VALIDATION_ERROR"],
      [{ content: png().subarray(0, 40) }, 400, "VALIDATION_ERROR"],
      [{ content: JPEG.subarray(0, 30), type: "image/jpeg" }, 400, "VALIDATION_ERROR"],
      [{ content: Buffer.from("%PDF-1.7\nnothing"), type: "application/pdf" }, 400, "VALIDATION_ERROR"],
      [{ content: Buffer.alloc(0) }, 400, "VALIDATION_ERROR"],
      [{ content: script, type: "image/svg+xml" }, 415, "UNSUPPORTED_MEDIA_TYPE"],
      [{ content: Buffer.from("{}"), type: "application/json" }, 415, "UNSUPPORTED_MEDIA_TYPE"],
      [{ headers: { "content-encoding": "gzip" } }, 415, "UNSUPPORTED_MEDIA_TYPE"],
      [{ content: Buffer.alloc(LIMITS.evidenceBytes + 1) }, 413, "PAYLOAD_TOO_LARGE"],
      [{ name: "../../etc/passwd" }, 400, "VALIDATION_ERROR"],
      [{ name: "a\\b.png" }, 400, "VALIDATION_ERROR"],
      [{ name: "" }, 400, "VALIDATION_ERROR"],
    ];
    for (const [sent, status, code] of wrong) assertRefused(await add(sent), status, code);
    assert.deepEqual(await rowsOf(block), []);
    // An ordinary call takes no file, however it is called.
    const asFile = { headers: { "content-type": "image/png" } };
    assertRefused(await gateway.merchant.send("POST", "/pix", png(), asFile), 415, "UNSUPPORTED_MEDIA_TYPE");
  });

  test("of the largest size is taken, and the eleventh is refused", async () => {
    const block = await contested();
    const scan = JPEG.length - 2;
    const largest = Buffer.concat([
      JPEG.subarray(0, scan),
      Buffer.alloc(LIMITS.evidenceBytes - JPEG.length, 1),
      JPEG.subarray(scan),
    ]);
    const added = await addEvidence(gateway.merchant, block, { content: largest, type: "image/jpeg", name: "a.jpg" });
    assert.equal(added.status, 201, added.text);
    for (let i = 1; i < LIMITS.evidenceOfBlock; i += 1)
      assert.equal((await addEvidence(gateway.merchant, block, { content: png(i) })).status, 201);
    const over = await addEvidence(gateway.merchant, block, { content: png(200) });
    assert.equal(assertRefused(over, 400, "BALANCE_BLOCK_FILE_LIMIT").details.limit, LIMITS.evidenceOfBlock);
    assert.equal((await rowsOf(block)).length, LIMITS.evidenceOfBlock);
    assert.equal((await addEvidence(gateway.merchant, block, { content: png(1) })).status, 201, "one that is there");
  });

  test("beyond what an account may keep in all is refused", async () => {
    const accountId = await newAccount(gateway);
    const client = await credentialOf(gateway, accountId);
    const [full, block] = [await contested(client), await contested(client)];
    assert.equal((await addEvidence(client, full)).status, 201);
    await gateway.owner.query(
      sql`update balance_block_files set size = ${LIMITS.evidenceOfAccountBytes - 1} where block_id = ${full}`,
    );
    const over = await addEvidence(client, block);
    assert.equal(
      assertRefused(over, 400, "BALANCE_BLOCK_FILE_LIMIT").details.limitBytes,
      LIMITS.evidenceOfAccountBytes,
    );
    assert.deepEqual(await rowsOf(block), []);
  });

  test("is removed before the defence, and afterwards stays as it is; none is added any more, nor after the deadline", async () => {
    const { merchant } = gateway;
    const block = await contested();
    const [kept, removed] = await Promise.all(
      [1, 2].map((shade) => addEvidence(merchant, block, { content: png(shade) })),
    );
    const path = (file: { body: EvidenceFile }) => `/balance-blocks/${block}/files/${file.body.id}`;
    assert.equal((await merchant.send("DELETE", path(removed!), undefined)).status, 204);
    assertRefused(await merchant.get(path(removed!)), 404, "RESOURCE_NOT_FOUND");
    assert.equal((await merchant.post(`/balance-blocks/${block}/defense`, { text: "Entregue." })).status, 200);
    const late = [
      await merchant.send("DELETE", path(kept!), undefined),
      await addEvidence(merchant, block, { content: png(3) }),
    ];
    for (const reply of late) assertRefused(reply, 400, "BALANCE_BLOCK_NOT_DEFENDABLE");
    assert.deepEqual(await list(merchant, block), [kept!.body]);

    const other = await contested();
    await gateway.owner.query(sql`update balance_blocks set respond_by = ${new Date(0)} where block_id = ${other}`);
    assertRefused(await addEvidence(merchant, other), 400, "BALANCE_BLOCK_NOT_DEFENDABLE");
    assert.deepEqual(await rowsOf(other), []);
  });

  test("that is added while the defence is sent is there before it or not at all", async () => {
    const { merchant } = gateway;
    for (let round = 0; round < 6; round += 1) {
      const block = await contested();
      const [added, defended] = await Promise.all([
        addEvidence(merchant, block, { content: png(round) }),
        merchant.post(`/balance-blocks/${block}/defense`, { text: "Entregue." }),
      ]);
      assert.equal(defended.status, 200, defended.text);
      if (added.status !== 201) assertRefused(added, 400, "BALANCE_BLOCK_NOT_DEFENDABLE");
      assert.equal((await rowsOf(block)).length, added.status === 201 ? 1 : 0);
    }
  });

  test("does not exist for another account, and who may only read adds and removes none", async () => {
    const block = await contested();
    const { body: file } = await addEvidence(gateway.merchant, block);
    const path = `/balance-blocks/${block}/files/${file.id}`;
    const stranger = await credentialOf(gateway, await newAccount(gateway));
    const reader = await credentialOf(gateway, gateway.sandbox.accountId, { permissions: ["BALANCE_BLOCK:READ"] });
    assert.equal((await readFile(reader, path, "application/octet-stream")).bytes.length, file.size);
    for (const reply of [await addEvidence(reader, block), await reader.send("DELETE", path, undefined)])
      assertRefused(reply, 403, "PERMISSION_DENIED");
    for (const reply of [
      await addEvidence(stranger, block),
      await stranger.get(path),
      await stranger.get(path, { headers: { accept: "application/octet-stream" } }),
      await stranger.send("DELETE", path, undefined),
    ])
      assertRefused(reply, 404, "RESOURCE_NOT_FOUND");
    // A file of one dispute is not found below another one's.
    const other = await contested();
    assertRefused(await gateway.merchant.get(`/balance-blocks/${other}/files/${file.id}`), 404, "RESOURCE_NOT_FOUND");
    assert.equal((await rowsOf(block)).length, 1);
  });

  test("whose bytes or place in the database were changed is not given out", async () => {
    const block = await contested();
    const files = await Promise.all(
      [1, 2].map((shade) => addEvidence(gateway.merchant, block, { content: png(shade) })),
    );
    const [one, two] = files.map(({ body }) => body.id);
    await gateway.owner.query(sql`
      update balance_block_files a set sealed_key = b.sealed_key, sealed_content = b.sealed_content
      from balance_block_files b where a.account_id = b.account_id and a.file_id = ${one} and b.file_id = ${two}`);
    await gateway.owner.query(sql`
      update balance_block_files set sealed_content = set_byte(sealed_content, 40, 255 - get_byte(sealed_content, 40))
      where file_id = ${two}`);
    for (const id of [one, two]) {
      const path = `/balance-blocks/${block}/files/${id}`;
      assert.equal((await readFile(gateway.merchant, path, "application/octet-stream")).status, 500);
    }
    assert.equal(gateway.takeErrors().length, 2);
  });

  const newCredential = async () => {
    const made = await gateway.operator.post<{ clientId: string; clientSecret: string }>(
      `/accounts/${gateway.sandbox.accountId}/credentials`,
      { name: "Evidence", permissions: ["BALANCE_BLOCK:READ", "BALANCE_BLOCK:WRITE"] },
    );
    assert.equal(made.status, 201, made.text);
    return made.body;
  };

  test("is sent by the command line from a path, and one that has another end is refused before", async () => {
    const { clientId, clientSecret } = await newCredential();
    const block = await contested();
    const folder = mkdtempSync(join(tmpdir(), "pixgate-evidence-"));
    try {
      const env = { PATH: process.env.PATH, HOME: folder, PIXGATE_API_URL: gateway.merchant.base };
      const access = { PIXGATE_CLIENT_ID: clientId, PIXGATE_CLIENT_SECRET: clientSecret };
      const run = async (file: string) => {
        const args = [BIN, "balance-blocks", "add-file", block, "recibo.png", "--file", join(folder, file), "--json"];
        return promisify(execFile)(process.execPath, args, { env: { ...env, ...access } });
      };
      writeFileSync(join(folder, "a.PNG"), png(31));
      writeFileSync(join(folder, "a.txt"), png(32));
      const { stdout } = await run("a.PNG");
      assert.deepEqual([JSON.parse(stdout)], await list(gateway.merchant, block));
      await assert.rejects(run("a.txt"), /must end in \.pdf, \.png, \.jpg, \.jpeg/);
      await assert.rejects(run("none.png"), /cannot be read/);
      assert.equal((await rowsOf(block)).length, 1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("is sent by the SDK as a Blob, and read back as bytes", async () => {
    const { clientId, clientSecret } = await newCredential();
    const pixgate = new Pixgate({ baseUrl: gateway.merchant.base, clientId, clientSecret });
    const block = await contested();
    const file = new Blob([new Uint8Array(png(77))], { type: "image/png" });
    const { id } = await pixgate.balanceBlocks.addFile(block, file, { name: "recibo.png" });
    const bytes = await pixgate.balanceBlocks.getFileAs("application/octet-stream", block, id);
    assert.ok(Buffer.from(bytes).equals(png(77)));
    const names: string[] = [];
    for await (const { name } of pixgate.balanceBlocks.listFiles(block)) names.push(name);
    assert.deepEqual(names, ["recibo.png"]);
    await pixgate.balanceBlocks.deleteFile(block, id);
    assert.deepEqual(await rowsOf(block), []);
  });

  test("is forgotten when its years after the dispute's end have passed, and not before", async () => {
    const { ctx } = gateway.running;
    const [open, ended, old] = [await contested(), await contested(), await contested()];
    for (const block of [open, ended, old]) assert.equal((await addEvidence(gateway.merchant, block)).status, 201);
    for (const block of [ended, old]) {
      const path = `/sandbox/balance-blocks/${block}/resolve`;
      assert.equal((await gateway.merchant.post(path, { outcome: "rejected" })).status, 200);
    }
    const { rows } = await gateway.owner.query<{ id: string }>(
      sql`select account_id as id from accounts where is_house`,
    );
    const days = ctx.config.keep.evidenceDays;
    assert.equal(days, 1_825);
    const purgeAfter = async (ms: number) => {
      const clock = { now: () => Date.now() + ms, date: () => new Date(Date.now() + ms) };
      while (await purgeOld({ ...ctx, clock }, rows[0]!.id));
    };
    await purgeAfter((days - 1) * 86_400_000);
    for (const block of [open, ended, old]) assert.equal((await rowsOf(block)).length, 1);
    await purgeAfter((days + 1) * 86_400_000);
    const left = await eventually("the purge", async () => ({ open: (await rowsOf(open)).length }));
    assert.deepEqual([left.open, (await rowsOf(ended)).length, (await rowsOf(old)).length], [1, 0, 0]);
  });
});
