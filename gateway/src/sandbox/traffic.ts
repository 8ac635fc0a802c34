import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { addCredential, endCredential } from "../accounts/credentials/credential.ts";
import type { NewCredential } from "../accounts/credentials/write.ts";
import type { Context } from "../context.ts";
import type { Caller } from "../http/auth.ts";
import { PERMISSIONS, type Permission } from "../http/permissions.ts";
import { act, type Done, type Shop } from "./traffic-acts.ts";

/** How long payers pay, minutes, and how many pay in a minute. */
type Pace = { readonly minutes: number; readonly perMinute: number };
export const MOST_MINUTES = 60;
export const MOST_PER_MINUTE = 120;
/** Most payers at once: a slow machine gets fewer payers, not a queue of them. */
const MOST_AT_ONCE = 6;
/** A token lives 300 s. */
const TOKEN_RENEWED_AFTER = 200_000;
/** A payment in the sandbox is answered when it is booked, milliseconds. */
const CALL_TIMEOUT = 30_000;
const NAME = "Make some traffic";
/** Permissions that payers and the shop use; without one of them its acts are left out. */
const USED: readonly Permission[] = [
  "PIX:WRITE",
  "TRANSACTION:READ",
  "WITHDRAWAL:WRITE",
  "REFUND:WRITE",
  "BALANCE_BLOCK:WRITE",
  "WEBHOOK:READ",
  "WEBHOOK:WRITE",
];

type Run = Pace & {
  readonly startedAt: Date;
  readonly endsAt: Date;
  readonly done: Done;
  end(): Promise<void>;
};

/** Payers who pay charges of an account automatically. Only in the memory of this process: a restart ends every run. */
export type Traffic = {
  /** Starts a run, replacing one that is running. The audit log names `actor`. */
  start(caller: Caller, actor: string, pace: Pace): Promise<Run>;
  of(accountId: string): Run | null;
  end(accountId: string): Promise<void>;
  endAll(): Promise<void>;
};

/** @param server answers the payers' calls, which come over the network like all others. */
export function createTraffic(ctx: Context, server: Server): Traffic {
  const runs = new Map<string, Run>();

  async function end(accountId: string): Promise<void> {
    const run = runs.get(accountId);
    runs.delete(accountId);
    await run?.end();
  }

  return {
    of: (accountId) => runs.get(accountId) ?? null,
    end,
    async endAll() {
      await Promise.all([...runs.keys()].map(end));
    },
    async start(caller, actor, pace) {
      const { accountId } = caller;
      const credential = await makeCredential(ctx, caller, actor);
      const startedAt = ctx.clock.date();
      const shop = createShop(ctx, originOf(server), credential);
      const stop = keepActing(ctx, shop, pace, () => {
        if (runs.get(accountId) === run) void end(accountId);
      });
      const run: Run = {
        ...pace,
        ...{ startedAt, endsAt: new Date(startedAt.getTime() + pace.minutes * 60_000), done: shop.done },
        async end() {
          stop();
          const changing = { ...ctx, operator: { id: caller.credentialId, name: actor, owners: caller.owners } };
          await ctx.db.transaction((tx) => endCredential(changing, tx, accountId, credential.credentialId));
        },
      };
      // Of two simultaneous starts the later one ends the earlier run.
      const before = runs.get(accountId);
      runs.set(accountId, run);
      await before?.end();
      return run;
    },
  };
}

/** Lets payers act until the run is over. @returns a function that stops it at once. */
function keepActing(ctx: Context, shop: Shop, { minutes, perMinute }: Pace, onEnd: () => void): () => void {
  let [n, acting] = [0, 0];
  const next = () => {
    if (n === minutes * perMinute) {
      clearInterval(timer);
      onEnd();
      return;
    }
    n += 1;
    if (acting >= MOST_AT_ONCE) return;
    acting += 1;
    act(shop, n)
      .catch((error: unknown) => ctx.log.warn({ err: error }, "a payer of the sandbox's traffic failed"))
      .finally(() => {
        acting -= 1;
      });
  };
  const timer = setInterval(next, 60_000 / perMinute);
  timer.unref();
  // After the caller has the run.
  setImmediate(next);
  return () => clearInterval(timer);
}

function createShop(
  ctx: Context,
  origin: string,
  { permissions, ...login }: NewCredential & { readonly permissions: readonly Permission[] },
): Shop {
  const done: Done = {
    ...{ charges: 0, payments: 0, withdrawals: 0, refunds: 0, contests: 0, endpoints: 0, refused: 0 },
  };
  let token: { readonly text: Promise<string>; readonly since: number } | null = null;

  async function send<T>(
    method: "GET" | "POST",
    path: string,
    bearer: string | null,
    body?: object,
  ): Promise<T | null> {
    // Loads what only this needs: few installations send traffic.
    const { request } = await import("undici");
    const answer = await request(origin + path, {
      method,
      headers: {
        ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(CALL_TIMEOUT),
    });
    if (answer.statusCode < 300) return (await answer.body.json()) as T;
    await answer.body.dump();
    return null;
  }
  async function signIn(): Promise<string> {
    const { clientId: client_id, clientSecret: client_secret } = login;
    const given = await send<{ access_token: string }>("POST", "/v2/auth", null, { client_id, client_secret });
    if (given === null) throw new Error("the traffic's credential got no token");
    return given.access_token;
  }

  return {
    done,
    failingUrl: `${origin}/no-such-receiver`,
    may: (permission) => permissions.includes(permission),
    async call<T>(method: "GET" | "POST", path: string, body?: object) {
      const now = ctx.clock.now();
      if (token === null || now - token.since > TOKEN_RENEWED_AFTER) token = { text: signIn(), since: now };
      const answer = await send<T>(method, path, await token.text, body);
      if (answer === null) done.refused += 1;
      return answer;
    },
  };
}

/** The address at which this process reaches itself. */
function originOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  const host = address === "0.0.0.0" || address === "::" ? "127.0.0.1" : address;
  return `http://${family === "IPv6" && host !== "127.0.0.1" ? `[${host}]` : host}:${port}`;
}

/**
 * A credential for the run, with the permissions that payers and the shop use, as far as the person has them. Nobody sees
 * its secret.
 */
async function makeCredential(ctx: Context, caller: Caller, actor: string) {
  const permissions = PERMISSIONS.filter(
    (permission) => USED.includes(permission) && caller.permissions.includes(permission),
  );
  const account = { accountId: caller.accountId, number: caller.accountNumber };
  const options = { name: NAME, permissions, subAccountAccess: false, allowedIps: null };
  const changing = { ...ctx, operator: { id: caller.credentialId, name: actor, owners: caller.owners } };
  const made = await ctx.db.transaction((tx) => addCredential(changing, tx, account, options));
  return { ...made, permissions };
}
