/** The conformance suite, as people run it: against the gateway, and against something that does not conform. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Report = { conforms: boolean; checks: { id: string; sentence: string; result: string; message: string | null }[] };

const main = fileURLToPath(new URL("../../../conformance/src/main.ts", import.meta.url));
describe("The conformance suite", () => {
  let gateway: TestGateway;
  const folder = mkdtempSync(join(tmpdir(), "pixgate-conformance-"));
  before(async () => {
    gateway = await startGateway();
  });
  after(async () => {
    await gateway.end();
    rmSync(folder, { recursive: true, force: true });
  });

  async function run(baseUrl: string, ...more: string[]): Promise<{ code: unknown; output: string; report: Report }> {
    const { clientId, clientSecret } = gateway.sandbox;
    const json = join(folder, "report.json");
    const args = ["--base-url", baseUrl, "--client-id", clientId, "--client-secret", clientSecret, "--json", json];
    const child = spawn(process.execPath, [main, ...args, "--junit", join(folder, "report.xml"), ...more]);
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const code = child.exitCode ?? (await new Promise((resolve) => child.on("close", resolve)));
    assert.equal(errors, "");
    return { code, output, report: JSON.parse(readFileSync(json, "utf8")) as Report };
  }

  test("finds that the gateway conforms, skips nothing there, and reports it in three forms", async () => {
    const { body: restricted } = await gateway.operator.post<{ clientId: string; clientSecret: string }>(
      `/accounts/${gateway.sandbox.accountId}/credentials`,
      { name: "restricted", permissions: ["TRANSACTION:READ"] },
    );
    const credential = ["--restricted-id", restricted.clientId, "--restricted-secret", restricted.clientSecret];
    const { code, output, report } = await run(gateway.sandbox.baseUrl, "--money", ...credential);
    assert.deepEqual(
      report.checks.filter(({ result }) => result !== "passed"),
      [],
    );
    assert.equal(code, 0);
    assert.equal(report.conforms, true);
    assert.ok(report.checks.length >= 75, `${report.checks.length} checks`);
    assert.equal(new Set(report.checks.map(({ id }) => id)).size, report.checks.length);
    assert.ok(report.checks.every(({ sentence }) => sentence.length > 20));
    assert.match(output, new RegExp(`${report.checks.length} passed, 0 failed, 0 not finished, 0 skipped`));
    const junit = readFileSync(join(folder, "report.xml"), "utf8");
    assert.equal(junit.match(/<testcase /g)?.length, report.checks.length);
    assert.match(junit, /failures="0" errors="0" skipped="0"/);
  });

  test("names the sentence that an implementation breaks", async () => {
    const upstream = gateway.sandbox.baseUrl;
    // Answers 200 for a created charge, drops its checksum, forgets keys and lets sub-accounts see everything.
    const broken = createServer(async (request, response) => {
      const body = await text(request);
      const headers = { ...(request.headers as Record<string, string>) };
      for (const name of [
        "host",
        "connection",
        "content-length",
        "transfer-encoding",
        "idempotency-key",
        "x-sub-account",
      ])
        delete headers[name];
      const reply = await fetch(upstream + request.url, {
        method: request.method!,
        headers,
        ...(body === "" ? {} : { body }),
      });
      const answer = (await reply.text()).replace(/6304[0-9A-F]{4}"/, '63040000"');
      const status = request.url === "/pix" && reply.status === 201 ? 200 : reply.status;
      response.writeHead(status, { "content-type": "application/json" }).end(answer);
    });
    await new Promise<void>((resolve) => broken.listen(0, "127.0.0.1", resolve));
    const { code, output, report } = await run(`http://127.0.0.1:${(broken.address() as AddressInfo).port}`);
    broken.closeAllConnections();
    broken.close();
    const failed = report.checks.filter(({ result }) => result === "failed").map(({ id }) => id);
    for (const id of [
      "charges.created",
      "charges.copy-paste",
      "idempotency.replay",
      "idempotency.other-body",
      "sub-accounts.apart",
    ])
      assert.ok(failed.includes(id), `${id} did not fail`);
    assert.equal(code, 1);
    assert.equal(report.conforms, false);
    assert.match(output, /Success status codes: 201 for `POST \/pix`\./);
    assert.match(readFileSync(join(folder, "report.xml"), "utf8"), /<failure message="/);
  });

  test("explains itself, and refuses to run without an address", () => {
    const help = spawnSync(process.execPath, [main, "--help"], { encoding: "utf8" });
    assert.equal(help.status, 0);
    assert.match(help.stdout, /--base-url/);
    const none = spawnSync(process.execPath, [main], { encoding: "utf8", env: { PATH: process.env.PATH } });
    assert.equal(none.status, 2);
  });
});
