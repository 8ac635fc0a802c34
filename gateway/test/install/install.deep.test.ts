/**
 * A machine is installed by the very lines of docs/operating.md: a test pastes them one after another, on a Debian of its own
 * (mount and network namespace) with real PostgreSQL and nginx, and a systemd that is imitated from the delivered unit.
 */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { readlinkSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { makeCertificates } from "../harness/certificates.ts";
import { findPostgres, namesOfCertificate } from "./world.ts";

const WALK = fileURLToPath(new URL("./walk.ts", import.meta.url));
/** With one of processes, so that nothing outlives the walk, whatever ends it. */
const NAMESPACES = ["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
const runs = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
const certificates = makeCertificates();
after(() => certificates?.remove());

function missing(): string | null {
  if (process.getuid?.() !== 0 || !runs("unshare", ...NAMESPACES, "true"))
    return "namespaces of its own (root on Linux)";
  const needed = ["ip", "nginx", "setpriv", "runuser", "useradd", "pg_dump", "jq", "npx"];
  return (
    needed.find((program) => !runs("which", program)) ??
    (findPostgres() ? null : "Debian's PostgreSQL") ??
    (certificates ? null : "openssl")
  );
}

const lacks = missing();
test("docs/operating.md leads from nothing to a paid charge, a backup, another master key and away again", {
  skip: lacks === null ? false : `needs ${lacks}`,
  timeout: 900_000,
}, async (t) => {
  const { folder } = certificates!;
  writeFileSync(`${folder}/names`, namesOfCertificate);
  const sign = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names"];
  execFileSync("openssl", ["x509", "-req", "-in", "bank.csr", ...sign, "-out", "bank.pem"], {
    cwd: folder,
    stdio: "pipe",
  });
  const walk = spawn(
    "unshare",
    [
      ...NAMESPACES,
      process.execPath,
      "--test-reporter=spec",
      WALK,
      folder,
      findPostgres()!,
      readlinkSync("/proc/self/ns/mnt"),
    ],
    {
      env: { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: `${folder}/ca.pem` },
    },
  );
  let output = "";
  for (const stream of [walk.stdout, walk.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise((resolve) => walk.once("close", resolve));
  for (const line of output.match(/^[✔✖﹣] .*$/gm) ?? []) t.diagnostic(line);
  assert.equal(code, 0, output);
});
