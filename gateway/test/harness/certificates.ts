/** Certificates for tests of TLS, made on the spot. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * An authority (`ca.pem`) with a certificate and key each for the `bank`, its `client` (also as `client.p12`, without a
 * passphrase) and the `receiver` of callbacks; the `stranger` signed his own.
 */
export type Certificates = {
  readonly folder: string;
  path(name: string): string;
  read(name: string): Buffer;
  remove(): void;
};

/** Null without openssl. @param days that they are valid. */
export function makeCertificates(days = 2): Certificates | null {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-tls-"));
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  try {
    openssl("version");
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl(
    "req",
    "-x509",
    ...key,
    "-keyout",
    "ca.key",
    "-out",
    "ca.pem",
    "-days",
    String(days),
    "-subj",
    "/CN=authority",
  );
  writeFileSync(join(folder, "names"), "subjectAltName=IP:127.0.0.1,DNS:localhost\n");
  for (const name of ["bank", "client", "receiver", "stranger"]) {
    openssl("req", ...key, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`);
    const own = ["-signkey", "stranger.key"];
    const by = name === "stranger" ? own : ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"];
    const dates = ["-days", String(days), "-extfile", "names"];
    openssl("x509", "-req", "-in", `${name}.csr`, ...by, ...dates, "-out", `${name}.pem`);
  }
  openssl("pkcs12", "-export", "-in", "client.pem", "-inkey", "client.key", "-out", "client.p12", "-passout", "pass:");
  return certificatesIn(folder);
}

/** Those that were made before. */
export function certificatesIn(folder: string): Certificates {
  const path = (name: string) => join(folder, name);
  return {
    folder,
    path,
    read: (name) => readFileSync(path(name)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
