import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";

/** Certificates of this program, PEM. */
export type Tls = {
  /** Shown to callers, and to receivers of callbacks, as a bank does. */
  cert: Buffer;
  key: Buffer;
  /** A caller must show a certificate of these authorities (mTLS); left out: nobody needs one. */
  clientCa?: Buffer;
  /** Authorities of receivers of callbacks; left out: the system's. */
  callbackCa?: Buffer;
};

export type TlsPaths = { cert?: string; key?: string; clientCa?: string; callbackCa?: string };

/** Reads the files; undefined without any. Throws one clear line. */
export function readTls(paths: TlsPaths): Tls | undefined {
  const { cert, key, clientCa, callbackCa } = paths;
  if (cert === undefined && key === undefined) {
    if (clientCa !== undefined || callbackCa !== undefined) throw new Error("--tls-cert and --tls-key are missing");
    return undefined;
  }
  if (cert === undefined || key === undefined) throw new Error("--tls-cert and --tls-key come together");
  const tls: Tls = { cert: read("--tls-cert", cert), key: read("--tls-key", key) };
  if (clientCa !== undefined) tls.clientCa = read("--tls-client-ca", clientCa);
  if (callbackCa !== undefined) tls.callbackCa = read("--callback-ca", callbackCa);
  try {
    createSecureContext({ cert: tls.cert, key: tls.key });
  } catch {
    throw new Error("--tls-cert and --tls-key are not a certificate in PEM and its key");
  }
  return tls;
}

function read(option: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new Error(`${option}: cannot read ${path}`);
  }
}
