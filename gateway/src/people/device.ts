import type { FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import { readCookie } from "../http/session.ts";
import { hmacSha256, safeEqual } from "../lib/secrets.ts";
import { DEVICE_COOKIE } from "./cookie.ts";

/**
 * A browser's cookie: a random id, and a mark of each person who has signed in there, the last one first. It contains no
 * name and signs nobody in. It only tells that an attempt comes from a device of that person, so that strangers' attempts
 * do not count for it.
 */
const DEVICE = /^[\w-]{22}(?:\.[\w-]{22}){1,5}$/;
/** Most marks: people who share a browser. */
const MARKS = 5;
/** Bytes of the id, and of a mark. */
const BYTES = 16;

type Deps = Pick<Context, "config" | "keys">;

const markOf = (key: Buffer, id: string, personId: string): string =>
  hmacSha256(key, `device ${id} ${personId}`).subarray(0, BYTES).toString("base64url");

function readDevice({ config }: Deps, { headers }: FastifyRequest): { id: string; marks: readonly string[] } | null {
  const value = readCookie(config, headers, DEVICE_COOKIE);
  if (value === null || !DEVICE.test(value)) return null;
  const [id, ...marks] = value.split(".");
  return { id: id!, marks };
}

/** The id of the request's device if the person has signed in with it before; null: a stranger's device. */
export function deviceOf(ctx: Deps, request: FastifyRequest, personId: string): string | null {
  const device = readDevice(ctx, request);
  if (device === null) return null;
  const { signIn, other } = ctx.keys;
  const isMarked = [signIn, other?.signIn].some((key) => {
    const mark = key && markOf(key, device.id, personId);
    return mark !== undefined && device.marks.some((known) => safeEqual(known, mark));
  });
  return isMarked ? device.id : null;
}

/** The value of the cookie for a device where the person has just signed in. */
export function markDevice(ctx: Deps & Pick<Context, "random">, request: FastifyRequest, personId: string): string {
  const before = readDevice(ctx, request);
  const id = before?.id ?? Buffer.from(ctx.random(BYTES)).toString("base64url");
  const mark = markOf(ctx.keys.signIn, id, personId);
  const others = (before?.marks ?? []).filter((known) => known !== mark).slice(0, MARKS - 1);
  return [id, mark, ...others].join(".");
}
