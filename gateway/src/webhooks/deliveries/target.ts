import type { LookupFunction } from "node:net";
import type { Context } from "../../context.ts";
import { ApiError } from "../../http/errors.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { isLoopbackAddress, isPublicAddress } from "../../lib/public-addresses.ts";

/**
 * How long the addresses of a name are cached, milliseconds: a burst resolves the name once, and a change is noticed soon.
 */
const CACHE_MS = 1_000;
/** Most names in the cache; beyond that the cache is emptied. */
const MAX_CACHED = 10_000;
/** Time to resolve the name when an endpoint is saved, milliseconds. */
const SAVE_TIMEOUT_MS = 3_000;

/** Why an address is refused. The log of attempts shows the code. */
export class TargetRefused extends Error {
  readonly code: "https_required" | "address_not_allowed" | "name_not_found";
  constructor(code: TargetRefused["code"]) {
    super(code);
    this.name = "TargetRefused";
    this.code = code;
  }
}

/** Decides where webhooks may be sent: when an endpoint is saved, and before every attempt. */
export type Targets = {
  /** Resolves the host and returns its addresses, all of them allowed; throws `TargetRefused`. */
  check(url: URL): Promise<readonly string[]>;
  /** For the connection itself, so that it uses a checked address even if the name changes a moment later. */
  readonly lookup: LookupFunction;
  /** Checks an endpoint's address before it is saved and returns its normal form; 400 `WEBHOOK_URL_INVALID`. */
  checkToSave(text: string): Promise<string>;
};

type Deps = Pick<Context, "clock" | "config" | "psps" | "resolve">;

export function createTargets(ctx: Deps): Targets {
  const addressesOf = createLookup(ctx);

  async function check(url: URL): Promise<readonly string[]> {
    if (url.protocol !== "https:" && !(await isSandbox(ctx))) throw new TargetRefused("https_required");
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
      const url = parseUrl(text);
      const refused = await refusalOf(within(SAVE_TIMEOUT_MS, check(url)));
      if (refused === "https_required") throw urlInvalid("must be an https address");
      if (refused === "address_not_allowed") throw urlInvalid("leads to an address that webhooks may not go to");
      // In the sandbox the name may be registered later; in production an unknown name is a mistake.
      if (refused === "name_not_found" && !(await isSandbox(ctx)))
        throw urlInvalid("has a host that cannot be resolved");
      return url.href;
    },
  };
}

/** The sandbox allows http and loopback. A single production institution makes production's rules apply. */
async function isSandbox({ config, psps }: Deps): Promise<boolean> {
  if (config.webhookRules !== null) return config.webhookRules === "sandbox";
  return (await psps.all()).every((institution) => institution.environment === "sandbox");
}

/** Resolves names to allowed addresses, through a cache. */
function createLookup(ctx: Deps): (hostname: string) => Promise<readonly string[]> {
  const cache = new Map<string, { readonly until: number; readonly addresses: Promise<readonly string[]> }>();
  return (hostname) => {
    const now = ctx.clock.now();
    const cached = cache.get(hostname);
    // An entry that would live longer was made before the clock stepped back.
    if (cached && cached.until > now && cached.until <= now + CACHE_MS) return cached.addresses;
    if (cache.size >= MAX_CACHED) cache.clear();
    const addresses = resolveAllowed(ctx, hostname);
    cache.set(hostname, { until: now + CACHE_MS, addresses });
    return addresses;
  };
}

/** A single forbidden address refuses the whole name, since a connection may use any of them. */
async function resolveAllowed(ctx: Deps, hostname: string): Promise<readonly string[]> {
  const literal = hostname.replace(/^\[(.*)\]$/, "$1");
  const addresses =
    parseAddress(literal) === null
      ? await ctx.resolve(hostname).catch(() => {
          throw new TargetRefused("name_not_found");
        })
      : [literal];
  if (addresses.length === 0) throw new TargetRefused("name_not_found");
  const sandbox = await isSandbox(ctx);
  const allowed = (address: string) =>
    isPublicAddress(address) ||
    (sandbox && isLoopbackAddress(address)) ||
    ctx.config.webhookAllow?.has(address) === true;
  if (!addresses.every(allowed)) throw new TargetRefused("address_not_allowed");
  return addresses;
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  const valid =
    url && /^https?:$/.test(url.protocol) && url.hostname !== "" && url.username === "" && url.password === "";
  if (!valid) throw urlInvalid("must be an http or https address without user and password");
  return url;
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

/** A name that is not resolved within this time counts as not found. */
function within<T>(ms: number, checked: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TargetRefused("name_not_found")), ms);
    checked.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

const urlInvalid = (message: string): ApiError =>
  new ApiError("WEBHOOK_URL_INVALID", `url: ${message}`, { issues: [{ path: "url", message }] });
