import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, sign } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Context } from "../context.ts";

const KEY_ID = "payload-1";
/** One key a process: several payloads that are fetched at once wait for the same one. */
const keys = new WeakMap<Context, Promise<KeyObject>>();

/** The key of payloads, made at the first use: an RSA key takes a tenth of a second, and most runs fetch no payload. */
function keyOf(ctx: Context): Promise<KeyObject> {
  const known = keys.get(ctx);
  if (known) return known;
  const key = openKey(join(ctx.folder, "payload-key.pem"));
  keys.set(ctx, key);
  return key;
}

async function openKey(path: string): Promise<KeyObject> {
  if (existsSync(path)) return createPrivateKey(readFileSync(path));
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
  writeFileSync(`${path}.new`, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return privateKey;
}

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A JWS in its compact form, as the standard's example: RS256, with the address of the key. */
export async function signJws(ctx: Context, payload: unknown): Promise<string> {
  const header = { alg: "RS256", typ: "JWS", kid: KEY_ID, jku: `${ctx.scheme}://${ctx.host}/v2/qr/jwks` };
  const signed = `${base64url(header)}.${base64url(payload)}`;
  return `${signed}.${sign("sha256", Buffer.from(signed), await keyOf(ctx)).toString("base64url")}`;
}

/** JWK Set (RFC 7517). */
export async function publicKeys(ctx: Context): Promise<{ keys: unknown[] }> {
  const jwk = createPublicKey(await keyOf(ctx)).export({ format: "jwk" });
  return { keys: [{ ...jwk, kid: KEY_ID, use: "sig", alg: "RS256" }] };
}
