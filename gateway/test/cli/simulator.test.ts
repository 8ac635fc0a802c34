/** `pixgate simulator`: the bank of the sandbox alone. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const COMMAND = fileURLToPath(new URL("../../bin/pixgate.mjs", import.meta.url));

test("the simulator starts by a command of its own, gives a bank's token, and ends with the command", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-simulator-"));
  const child = spawn(process.execPath, [COMMAND, "simulator", "--port", "0", "--data-dir", folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { ready, url, pid } = JSON.parse(line) as { ready: boolean; url: string; pid: number };
  assert.deepEqual([ready, pid === child.pid], [true, false]);
  const { clientId, clientSecret } = JSON.parse(readFileSync(join(folder, "credentials.json"), "utf8")) as Record<
    string,
    string
  >;
  const answer = await fetch(`${url}/oauth/token`, {
    method: "POST",
    headers: {
      authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ grant_type: "client_credentials" }),
  });
  assert.equal(answer.status, 200);
  assert.equal(typeof ((await answer.json()) as { access_token: unknown }).access_token, "string");
  child.kill("SIGTERM");
  assert.deepEqual(await once(child, "exit"), [0, null]);
  await assert.rejects(fetch(url), "nothing of it stays running");
});

test("a dialect that there is not is refused in one line", async () => {
  const child = spawn(process.execPath, [COMMAND, "simulator", "--port", "0", "--dialect", "none"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let says = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    says += text;
  });
  assert.deepEqual(await once(child, "close"), [1, null]);
  assert.match(says, /^psp-simulator: --dialect must be .*, not "none" /m);
});
