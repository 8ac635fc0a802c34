import { fetch } from "undici";
import type { Client } from "./client.ts";

/** Reads an answer that is a file. */
export async function readFile(
  { base, token }: Client,
  path: string,
  accept: string,
): Promise<{ status: number; type: string | null; bytes: Buffer }> {
  const reply = await fetch(base + path, { headers: { accept, authorization: `Bearer ${token}` } });
  const bytes = Buffer.from(await reply.arrayBuffer());
  return { status: reply.status, type: reply.headers.get("content-type"), bytes };
}
