/** The whole process, started with a setting that is wrong: one line, exit code 1. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { launchProcess } from "../harness/process.ts";

describe("pixgate serve with a wrong setting", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "pixgate-wrong-"));
  const file = join(dataDir, "a-file");
  writeFileSync(file, "");
  after(() => rmSync(dataDir, { recursive: true, force: true }));

  /** Its exit code; of one that starts all the same, null. */
  async function endOf({ child, exited }: ReturnType<typeof launchProcess>): Promise<number | null> {
    const giveUp = setTimeout(() => child.kill("SIGKILL"), 60_000);
    const code = await exited;
    clearTimeout(giveUp);
    return code;
  }

  /** Of each: what the line has to name. Those that only the start can find, and one of each reader. */
  const WRONG: readonly (readonly [Record<string, string>, RegExp])[] = [
    [{ PIXGATE_HOST: "no-such-host.invalid" }, /PIXGATE_HOST.*no-such-host\.invalid/],
    ...["203.0.113.7", "0.0.0.0", "::", "example.com", "192.168.0.10:70000", "192.168.0.300", "10.0.0.1:8082/x"].map(
      (address) => [{ PIXGATE_SANDBOX_ADDRESS: address }, /PIXGATE_SANDBOX_ADDRESS must be/] as const,
    ),
    // Of no machine here: refused when it is to listen there.
    [{ PIXGATE_SANDBOX_ADDRESS: "10.255.255.254" }, /PIXGATE_SANDBOX_ADDRESS.*10\.255\.255\.254/],
    [{ PIXGATE_HOST: "203.0.113.7" }, /PIXGATE_HOST.*203\.0\.113\.7/],
    [{ PIXGATE_DATA_DIR: file }, /PIXGATE_DATA_DIR/],
    [{ PIXGATE_DATA_DIR: join(file, "below") }, /PIXGATE_DATA_DIR/],
    [{ PIXGATE_DATA_DIR: "/proc/pixgate" }, /PIXGATE_DATA_DIR/],
    [{ DATABASE_URL: "postgres://127.0.0.1:9/x" }, /PostgreSQL cannot be worked with/],
    [{ DATABASE_URL: "postgres://no-such-host.invalid/x" }, /PostgreSQL cannot be worked with/],
    [{ PIXGATE_LOG_LEVEL: "loud\nnot" }, /PIXGATE_LOG_LEVEL/],
    [{ PIXGATE_SECRET_KEY_FILE: "/nowhere" }, /PIXGATE_SECRET_KEY_FILE/],
    [{ PIXGATE_SECRET_KEY_COMMAND: "/nowhere" }, /PIXGATE_SECRET_KEY_COMMAND/],
    [{ PIXGATE_SECRET_KEY: "short" }, /PIXGATE_SECRET_KEY/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" }, /OTEL_EXPORTER_OTLP_ENDPOINT/],
  ];
  for (const [env, named] of WRONG) {
    const [setting] = Object.entries(env)[0]!;
    test(`ends with one line: ${JSON.stringify(env).replace(dataDir, "…")}`, async () => {
      const ended = launchProcess({ PIXGATE_DATA_DIR: join(dataDir, setting), ...env });
      assert.equal(await endOf(ended), 1, ended.stderr());
      const lines = ended.stderr().trimEnd().split("\n");
      assert.equal(lines.length, 1, ended.stderr());
      assert.match(lines[0]!, /^pixgate: /);
      assert.match(lines[0]!, named);
      assert.equal(ended.stdout().includes("at "), false);
    });
  }

  test("ends with one line when its port is another's", async (t) => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    t.after(() => taken.close());
    const port = String((taken.address() as { port: number }).port);
    for (const name of ["PIXGATE_PORT", "PIXGATE_SIMULATOR_PORT"]) {
      const ended = launchProcess({ PIXGATE_DATA_DIR: join(dataDir, "port"), [name]: port });
      assert.equal(await endOf(ended), 1, ended.stderr());
      assert.match(ended.stderr(), new RegExp(`^pixgate: [^\\n]*${name}[^\\n]*\\n$`));
    }
  });
});
