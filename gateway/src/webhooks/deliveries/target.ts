import type { LookupFunction } from "node:net";
import type { Context } from "../../context.ts";
import { ApiError } from "../../http/errors.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { isLoopbackAddress, isPublicAddress } from "../../lib/public-addresses.ts";

/** How long what a host stood for is believed, milliseconds: one look-up serves a burst, a moved name is soon seen. */
const REMEMBERED = 1_000;
/** Hosts remembered; past it all are forgotten. */
const MOST_NAMES = 10_000;
/** How long saving an endpoint waits for its name to be resolved, milliseconds. */
const SAVE_WAIT = 3_000;

/** Why no webhook goes to an address. The code is what the log of attempts says. */
export class TargetRefused extends Error {
  readonly code: "https_required" | "address_not_allowed" | "name_not_found";
  constructor(code: TargetRefused["code"]) {
    super(code);
    this.name = "TargetRefused";
    this.code = code;
  }
}

/** Says where webhooks may go. Asked when an endpoint is saved, and before every attempt. */
export type Targets = {
  /** Resolves the host and gives its addresses, all of them allowed; throws `TargetRefused`. */
  check(url: URL): Promise<readonly string[]>;
  /** For the connection itself: it goes to an address that was checked, whatever the name stands for a moment later. */
  readonly lookup: LookupFunction;
  /** Checks an endpoint's address before it is saved; 400 `WEBHOOK_URL_INVALID`. Gives it in its normal form. */
  checkToSave(text: string): Promise<string>;
};

type Deps = Pick<Context, "clock" | "config" | "psps" | "resolve">;

/**
 * One forbidden address among those of a name is enough to refuse it: which one a connection takes is chance.
 */
export function createTargets(ctx: Deps): Targets {
  const hosts = new Map<string, { readonly until: number; readonly addresses: Promise<readonly string[]> }>();

  /** Sandbox rules allow http and loopback. An installation with an institution of production has production's. */
  async function isSandbox(): Promise<boolean> {
    if (ctx.config.webhookRules !== null) return ctx.config.webhookRules === "sandbox";
    return (await ctx.psps.all()).every((institution) => institution.environment === "sandbox");
  }

  function addressesOf(hostname: string): Promise<readonly string[]> {
    const now = ctx.clock.now();
    const known = hosts.get(hostname);
    if (known && known.until > now && known.until <= now + REMEMBERED) return known.addresses;
    if (hosts.size >= MOST_NAMES) hosts.clear();
    const addresses = resolveAllowed(hostname);
    hosts.set(hostname, { until: now + REMEMBERED, addresses });
    return addresses;
  }

  async function resolveAllowed(hostname: string): Promise<readonly string[]> {
    const literal = hostname.replace(/^\[(.*)\]$/, "$1");
    const addresses =
      parseAddress(literal) === null
        ? await ctx.resolve(hostname).catch(() => {
            throw new TargetRefused("name_not_found");
          })
        : [literal];
    if (addresses.length === 0) throw new TargetRefused("name_not_found");
    const sandbox = await isSandbox();
    const allowed = (address: string) =>
      isPublicAddress(address) ||
      (sandbox && isLoopbackAddress(address)) ||
      ctx.config.webhookAllow?.has(address) === true;
    if (!addresses.every(allowed)) throw new TargetRefused("address_not_allowed");
    return addresses;
  }

  async function check(url: URL): Promise<readonly string[]> {
    if (url.protocol !== "https:" && !(await isSandbox())) throw new TargetRefused("https_required");
    return addressesOf(url.hostname);
  }

  return {
    check,
    lookup(hostname, options, callback) {
      addressesOf(hostname).then(
        (addresses) => {
          const list = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
          if (options.all) callback(null, list);
          else callback(null, list[0]!.address, list[0]!.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, "", 0),
      );
    },
    async checkToSave(text) {
      const url = URL.parse(text);
      if (
        !url ||
        !/^https?:$/.test(url.protocol) ||
        url.hostname === "" ||
        url.username !== "" ||
        url.password !== ""
      ) {
        throw urlInvalid("must be an http or https address without user and password");
      }
      const refused = await refusalOf(within(SAVE_WAIT, check(url)));
      if (refused === "https_required") throw urlInvalid("must be an https address");
      if (refused === "address_not_allowed") throw urlInvalid("leads to an address that webhooks may not go to");
      // In the sandbox the name may be made later; in production a name that nobody knows is a mistake.
      if (refused === "name_not_found" && !(await isSandbox())) throw urlInvalid("has a host that cannot be resolved");
      return url.href;
    },
  };
}

async function refusalOf(checked: Promise<unknown>): Promise<TargetRefused["code"] | null> {
  try {
    await checked;
    return null;
  } catch (error) {
    if (error instanceof TargetRefused) return error.code;
    throw error;
  }
}

/** A name that is not resolved by then counts as not found. */
function within<T>(ms: number, checked: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TargetRefused("name_not_found")), ms);
    checked.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

const urlInvalid = (message: string): ApiError =>
  new ApiError("WEBHOOK_URL_INVALID", `url: ${message}`, { issues: [{ path: "url", message }] });
