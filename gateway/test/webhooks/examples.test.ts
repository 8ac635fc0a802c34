/** The receivers of examples/, each run where its interpreter is on the machine. */

import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { deliveryHeaders, newSecret } from "../../src/webhooks/deliveries/sign.ts";
import { eventually } from "../harness/eventually.ts";
import { freePort } from "../harness/free-port.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const example = (name: string) => fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url));
const isThere = (command: string, ...args: string[]) => spawnSync(command, args, { stdio: "ignore" }).status === 0;

describe("A receiver of examples/", () => {
  let gateway: TestGateway;
  const folder = mkdtempSync(join(tmpdir(), "pixgate-examples-"));
  const children: ChildProcess[] = [];
  before(async () => {
    gateway = await startGateway();
  });
  after(async () => {
    for (const child of children) child.kill("SIGKILL");
    await gateway.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The command that runs each; null where the interpreter is missing. */
  const commands: Readonly<Record<string, (port: number) => string[] | null | Promise<string[] | null>>> = {
    "receiver.mjs": () => [process.execPath, example("receiver.mjs")],
    "receiver.py": () => (isThere("python3", "-c", "''.removeprefix('')") ? ["python3", example("receiver.py")] : null),
    "receiver.php": (port) =>
      isThere("php", "--version") ? ["php", "-S", `127.0.0.1:${port}`, example("receiver.php")] : null,
    async "receiver.go"() {
      if (!isThere("go", "version")) return null;
      const binary = join(folder, "receiver");
      // On a new machine it compiles Go's library too, which takes minutes; the gateway in this process goes on meanwhile.
      const build = spawn("go", ["build", "-o", binary, example("receiver.go")], {
        stdio: ["ignore", "ignore", "pipe"],
      });
      children.push(build);
      const [status, said] = await Promise.all([once(build, "close").then(([code]) => code), text(build.stderr)]);
      assert.equal(status, 0, said);
      return [binary];
    },
  };

  for (const [name, command] of Object.entries(commands)) {
    test(`${name} accepts a real delivery and refuses forged, changed and old ones`, {
      timeout: 300_000,
    }, async (t) => {
      const port = await freePort();
      const [program, ...args] = (await command(port)) ?? [];
      if (program === undefined) return t.skip("its interpreter is not on this machine");
      const url = `http://127.0.0.1:${port}/`;
      const made = await gateway.merchant.post<{ id: string; secret: string }>("/webhook-endpoints", { url });
      const { id, secret } = made.body;
      let output = "";
      const child = spawn(program, args, {
        env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
        stdio: ["ignore", "pipe", "pipe"],
      });
      children.push(child);
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk: Buffer) => {
          output += chunk.toString();
        });
      }
      await eventually(
        `${name} to listen`,
        async () => (await fetch(url, { method: "POST", body: "" })).status === 401,
      );

      const test = await gateway.merchant.post<{ status: string; eventId: string }>(`/webhook-endpoints/${id}/test`, {
        event: "payment_completed",
      });
      assert.equal(test.body.status, "delivered", `${test.text}\n${output}`);
      await eventually("its line", () => output.includes(`payment_completed ${test.body.eventId}`));

      const body = '{"event":"payment_completed","eventId":"é"}';
      const send = async (headers: Record<string, string>, text = body) =>
        (await fetch(url, { method: "POST", headers, body: text })).status;
      const signed = (with_: string, nowMs: number, nextSecret: string | null = null) =>
        deliveryHeaders({
          kind: "payment_completed",
          eventId: "e",
          webhookId: "x",
          secret: with_,
          nextSecret,
          body,
          nowMs,
        });
      const now = Date.now();
      const other = newSecret((n) => new Uint8Array(n));
      assert.equal(await send(signed(secret, now)), 204);
      assert.equal(await send(signed(other, now, secret)), 204, "while the secret is replaced");
      assert.equal(await send(signed(other, now)), 401, "another secret");
      assert.equal(await send(signed(secret, now), `${body} `), 401, "another body");
      assert.equal(await send({ ...signed(secret, now), "webhook-id": "x" }), 401, "another id");
      assert.equal(await send(signed(secret, now - 400_000)), 401, "too old");
      assert.equal(await send(signed(secret, now + 400_000)), 401, "too new");
      assert.equal(await send({ ...signed(secret, now), "webhook-timestamp": "soon" }), 401, "no time");
      assert.equal(await send({}), 401, "no signature");
    });
  }
});
