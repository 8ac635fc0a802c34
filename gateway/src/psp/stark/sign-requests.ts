/** Stark Bank authenticates each request by a signature over the caller's id, the time and the body. */
import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import type { OwnApi } from "../own-api.ts";

/** A project, which belongs to one workspace, or an organization in one of its workspaces. */
const ACCESS_ID = /^(?:project\/\d{1,32}|organization\/\d{1,32}\/workspace\/\d{1,32})$/;

export const accessIdOf = (id: string): string => (/^\d{1,32}$/.test(id) ? `project/${id}` : id);

/** Throws a TypeError that names a setting which cannot work. */
export function signRequests(api: OwnApi, given: { id: string; key: string }, clock: { now(): number }): OwnApi {
  const accessId = accessIdOf(given.id);
  if (!ACCESS_ID.test(accessId)) throw new TypeError("starkId: is no id of a project");
  const key = readKey(given.key);
  return {
    ...api,
    call(request) {
      const time = Math.floor(clock.now() / 1_000);
      // The same text as the one that is sent: JSON.stringify writes an object always alike.
      const body = request.body === undefined ? "" : JSON.stringify(request.body);
      const signature = sign("sha256", Buffer.from(`${accessId}:${time}:${body}`), key).toString("base64");
      const own = ["access-id", accessId, "access-time", String(time), "access-signature", signature];
      return api.call({ ...request, headers: [...(request.headers ?? []), ...own] });
    },
  };
}

function readKey(pem: string): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = createPrivateKey(pem);
  } catch {
    key = undefined;
  }
  if (key?.asymmetricKeyDetails?.namedCurve !== "secp256k1")
    throw new TypeError("starkKey: is no private key of the curve secp256k1 in PEM");
  return key;
}
