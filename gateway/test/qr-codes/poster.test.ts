/** The poster of a code: what hangs on a wall, and is paid from there. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { sql } from "../../src/db/sql.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { readFile } from "../harness/read-file.ts";
import { baselinesOfPdf, pagesOfPdf } from "../harness/read-pdf.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
  await gateway.owner.query(sql`
    update accounts set legal_name = 'Bar do Zé Ltda' where account_id = ${gateway.sandbox.accountId}`);
});
after(() => gateway.end());

const make = async (body: Record<string, unknown>) => {
  const reply = await gateway.merchant.post<{ id: string; pixCopyPaste: string }>("/qr-codes", {
    kind: "static",
    ...body,
  });
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
};

test("a code's poster is one page of the size asked for, with what it is for, what it costs and whom one pays", async () => {
  const { id } = await make({ name: "Balcão 1", description: "Café e pão", amount: 7.5 });
  for (const [size, box] of [
    ["A4", "[0 0 595.28 841.89]"],
    ["A6", "[0 0 297.64 419.53]"],
  ] as const) {
    const { status, type, bytes } = await readFile(gateway.merchant, `/qr-codes/${id}?size=${size}`, "application/pdf");
    assert.deepEqual([status, type], [200, "application/pdf"]);
    const pages = pagesOfPdf(bytes);
    assert.equal(pages.length, 1);
    assert.match(pages[0]!.replaceAll("\n", " "), /^Pague com Pix Ambiente de testes: o dinheiro não é de verdade\. /);
    assert.match(pages[0]!, /R\$\s7,50\nCafé e pão\n/);
    assert.match(
      pages[0]!.replaceAll("\n", " "),
      /Você paga para Bar do Zé Ltda\. Confira o nome antes de confirmar\./,
    );
    assert.ok(bytes.toString("latin1").includes(`/MediaBox ${box}`), size);
  }
  const english = await readFile(gateway.merchant, `/qr-codes/${id}?language=en`, "application/pdf");
  assert.match(pagesOfPdf(english.bytes)[0]!, /^Pay with Pix\nTest environment: no real money\.\n/);
});

test("a poster of the longest and widest words has all of them on its one page, and a code of 3 cm at least", async () => {
  const { id } = await make({ name: "W".repeat(60), description: "W".repeat(140), amount: 9_999_999_999.99 });
  for (const size of ["A4", "A6"]) {
    const { bytes } = await readFile(gateway.merchant, `/qr-codes/${id}?size=${size}`, "application/pdf");
    const [pages, [lines]] = [pagesOfPdf(bytes), baselinesOfPdf(bytes)];
    assert.equal(pages.length, 1);
    assert.equal(pages[0]!.match(/W/g)?.length, 140);
    assert.ok(lines!.length >= 8 && Math.min(...lines!) >= 20, `${size}: ${lines}`);
    // The code stands in the widest gap between two lines.
    const gaps = lines!.slice(1).map((line, i) => lines![i]! - line);
    assert.ok(Math.max(...gaps) > 100, `${size}: ${gaps}`);
  }
});

test("the command line stores a poster under the name that it is given, and refuses another end than .pdf", async () => {
  const { id } = await make({ name: "Balcão 3" });
  const folder = mkdtempSync(join(tmpdir(), "pixgate-poster-"));
  try {
    const { clientId, clientSecret } = gateway.sandbox;
    const access = { PIXGATE_CLIENT_ID: clientId, PIXGATE_CLIENT_SECRET: clientSecret };
    const env = { PATH: process.env.PATH, HOME: folder, PIXGATE_API_URL: gateway.merchant.base, ...access };
    const bin = fileURLToPath(new URL("../../bin/pixgate.mjs", import.meta.url));
    const run = (name: string) =>
      promisify(execFile)(
        process.execPath,
        [bin, "qr-codes", "get", id, "--size", "A6", "--language", "en", "--out", join(folder, name)],
        { env },
      );
    assert.match((await run("a.pdf")).stdout, /a\.pdf/);
    const bytes = readFileSync(join(folder, "a.pdf"));
    assert.match(pagesOfPdf(bytes)[0]!, /^Pay with Pix/);
    assert.ok(bytes.toString("latin1").includes("/MediaBox [0 0 297.64 419.53]"));
    await assert.rejects(run("a.png"), /--out: the name must end in \.pdf/);
    assert.ok(!existsSync(join(folder, "a.png")));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a poster of a size that there is not is refused, and one of another wallet's code does not exist", async () => {
  const { id } = await make({ name: "Balcão 2" });
  const wrong = await readFile(gateway.merchant, `/qr-codes/${id}?size=A5`, "application/pdf");
  assert.deepEqual([wrong.status, JSON.parse(wrong.bytes.toString()).details.code], [400, "VALIDATION_ERROR"]);
  const { status } = await readFile(
    gateway.merchant,
    "/qr-codes/019a0000-0000-7000-8000-000000000000",
    "application/pdf",
  );
  assert.equal(status, 404);
});
