import { randomUUID } from "node:crypto";
import type { Context } from "../context.ts";
import { formatTimestamp } from "../lib/timestamp.ts";

/** The address that a BR Code points at, where a payer's bank reads the terms of the charge that stands on it. */
export type Location = {
  id: number;
  /** Without scheme, at most 77 characters. */
  location: string;
  createdAt: number;
  /** The charge that stands on it. Absent: none does. */
  txid?: string;
};

/** A new one, at this program's own address: what is printed leads nowhere else. */
export function newLocation(ctx: Context): Location {
  const id = ctx.books.state.lastLocId + 1;
  return { id, location: `${ctx.host}/v2/qr/${randomUUID().replaceAll("-", "")}`, createdAt: ctx.now() };
}

/** The last part of a location, by which it is fetched. */
export const tokenOf = (location: string): string => location.slice(location.lastIndexOf("/") + 1);

/** PayloadLocationCompleta. */
export function presentLocation({ id, txid, location, createdAt }: Location): Record<string, unknown> {
  const shown = { id, location, tipoCob: "cob", criacao: formatTimestamp(createdAt) };
  return txid === undefined ? shown : { ...shown, txid };
}
