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

test("it gets the two settings that it reads, and no secret of a gateway", {
  skip: process.platform !== "linux",
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-simulator-"));
  const child = spawn(process.execPath, [COMMAND, "simulator"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      ...{ PIXGATE_SIMULATOR_PORT: "0", PIXGATE_DATA_DIR: folder },
      ...{ PIXGATE_SECRET_KEY: "of-the-gateway", DATABASE_URL: "postgres://of-the-gateway", SOME_TOKEN: "of-another" },
    },
  });
  t.after(() => {
    child.kill("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { pid } = JSON.parse(line) as { pid: number };
  const given = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  assert.ok(given.includes("PIXGATE_SIMULATOR_PORT=0") && given.includes(`PIXGATE_DATA_DIR=${folder}`));
  const names = given.map((one) => one.split("=", 1)[0]!);
  assert.deepEqual(
    names.filter((name) => /^(PIXGATE_SECRET_KEY|DATABASE_URL|SOME_TOKEN)$/.test(name)),
    [],
  );
  child.kill("SIGTERM");
  assert.deepEqual(await once(child, "exit"), [0, null]);
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
