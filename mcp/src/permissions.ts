/** What the credential of this server may not do: tools that need it are not offered. */
import { ApiError } from "../../sdk/src/index.ts";
import type { Client } from "./call.ts";
import type { Tool } from "./catalogue.ts";
import { WALLET } from "./schema.ts";

/** Breaks the pattern of `X-Sub-Account`: the gateway refuses the call after it has checked the permission, before anything else. */
const NO_WALLET = "?";
const NO_OBJECT = "00000000-0000-7000-8000-000000000000";
const TIMEOUT_MS = 5_000;

/**
 * Permissions and roles that these tools need and the gateway refuses to the credential. No call lists them, so each is tried
 * with one request that cannot act: a read, or a call for a wallet that cannot exist. What cannot be tried so, and what stays
 * unknown, counts as granted: the gateway decides each call itself.
 */
export async function refusedTo(
  client: Client,
  tools: readonly Tool[],
  catalogue: readonly Tool[],
): Promise<ReadonlySet<string>> {
  const needs = [...new Set(tools.flatMap(({ needs }) => needs ?? []))];
  const isRefused = await Promise.all(
    needs.map((need) => {
      const harmless = catalogue.filter((tool) => tool.needs === need).sort((a, b) => risk(a) - risk(b))[0];
      return harmless !== undefined && risk(harmless) < NEVER ? refuses(client, harmless) : false;
    }),
  );
  return new Set(needs.filter((_, i) => isRefused[i]));
}

const NEVER = 3;

/** The lower, the rather a tool is tried; `NEVER`: it could act. */
function risk({ method, path, inputSchema }: Tool): number {
  if (method === "GET" && !path.includes("{")) return 0;
  const takesWallet = WALLET in (inputSchema.properties as object);
  if (!takesWallet) return NEVER;
  return path.includes("{") ? 1 : 2;
}

async function refuses({ api, wallet }: Client, { method, path, inputSchema }: Tool): Promise<boolean> {
  const takesWallet = wallet !== null && WALLET in (inputSchema.properties as object);
  const request = { method, path: path.replace(/\{\w+\}/g, NO_OBJECT) };
  try {
    await (takesWallet ? wallet(NO_WALLET) : api).request(request, { maxRetries: 0, timeoutMs: TIMEOUT_MS });
    return false;
  } catch (error) {
    return error instanceof ApiError && error.code === "PERMISSION_DENIED";
  }
}
