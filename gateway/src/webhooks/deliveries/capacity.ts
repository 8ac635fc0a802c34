/** The limits of the attempts of one process (docs/operating.md). */
type CapacityLimits = {
  /** Attempts under way at once, in all. */
  readonly inFlight: number;
  /** Attempts under way at once to one healthy endpoint. */
  readonly perEndpoint: number;
  /** Attempts begun per second to one endpoint, with bursts of as many. */
  readonly perSecond: number;
};

/** Slots that a new endpoint has. */
const INITIAL_SLOTS = 8;
/** Slots that an endpoint keeps however often it fails, so that its recovery is noticed soon. */
const MIN_SLOTS = 2;
/** Fewest slots of an endpoint while many endpoints have work; its equal share of all slots if that is more. */
const MIN_FAIR_SLOTS = 4;
/**
 * An account may have this many times the slots that are free: alone 4/5 of all, so that some are always left for the next
 * one. The same holds for the slots of probing endpoints, so that an account whose endpoints hang leaves slots to new
 * endpoints of others.
 */
const ACCOUNT_SHARE = 4;
/** The part of its rate that a probing endpoint may use: a failing attempt costs as much as a successful one. */
const PROBING_RATE = 0.05;
/** The state of an endpoint is dropped after this time without an attempt, milliseconds. */
const FORGET_AFTER_MS = 300_000;

/** An endpoint and its account. */
type EndpointOfAccount = { readonly accountId: string; readonly endpointId: string };

type Endpoint = {
  readonly accountId: string;
  /** Attempts under way. */
  busy: number;
  /** Grows by one with every success, halves with every failure. */
  slots: number;
  /** Its last attempt succeeded. An endpoint without any attempt counts as probing. */
  healthy: boolean;
  tokens: number;
  tokensAt: number;
  usedAt: number;
};

/**
 * Counts attempts under way, and decides how many more may begin. All probing endpoints together get at most half of the
 * slots: the other half is always left for healthy ones. No account gets more than 4/5 of either half. Times are
 * milliseconds, given by the caller.
 */
export type Capacity = {
  /** Free slots in total. */
  free(): number;
  /**
   * Divides at most `most` free slots fairly among endpoints with work, earlier ones first. Returns the attempts that may
   * begin now.
   */
  share(waiting: Iterable<EndpointOfAccount>, most: number, now: number): Map<string, number>;
  begin(endpoint: EndpointOfAccount, now: number): void;
  end(endpoint: EndpointOfAccount, succeeded: boolean, now: number): void;
  /** Attempts under way: in total, and to probing endpoints. */
  busy(): { readonly all: number; readonly probing: number };
};

export function createCapacity(limits: CapacityLimits): Capacity {
  const endpoints = createEndpoints(limits);
  const all = createTally(limits.inFlight);
  const probing = createTally(limits.inFlight >> 1);

  function freeSlots(endpoint: Endpoint): number {
    const slots = Math.min(endpoint.slots - endpoint.busy, Math.floor(endpoint.tokens), all.free());
    return Math.max(0, endpoint.healthy ? slots : Math.min(slots, probing.free()));
  }

  /**
   * Reduces shares to what each account may have, and those of probing endpoints to their limit. Earlier endpoints keep
   * their share.
   */
  function reduce(shares: Map<string, number>, able: readonly { id: string; endpoint: Endpoint }[]): void {
    const [ofAll, ofProbing] = [all.allowances(), probing.allowances()];
    for (const { id, endpoint } of able) {
      const share = shares.get(id) ?? 0;
      const kept = ofAll.take(endpoint.accountId, endpoint.healthy ? share : ofProbing.take(endpoint.accountId, share));
      if (kept > 0) shares.set(id, kept);
      else shares.delete(id);
    }
  }

  return {
    free: all.free,
    share(waiting, most, now) {
      const able = [...waiting].flatMap((owner) => {
        const endpoint = endpoints.find(owner, now);
        const free = freeSlots(endpoint);
        return free > 0 ? [{ id: owner.endpointId, endpoint, free }] : [];
      });
      // Slots beyond its equal share cost connections and gain an endpoint nothing. An endpoint whose slots are all in use,
      // such as one that hangs, gets no share.
      const fair = Math.max(MIN_FAIR_SLOTS, Math.ceil(limits.inFlight / able.length));
      const usable = able.map(({ id, endpoint, free }) => [id, Math.min(free, fair - endpoint.busy)] as const);
      const shares = divide(new Map(usable), most);
      reduce(shares, able);
      return shares;
    },
    begin(owner, now) {
      const endpoint = endpoints.find(owner, now);
      endpoint.busy += 1;
      endpoint.tokens -= 1;
      endpoint.usedAt = now;
      all.add(owner.accountId, 1);
      if (!endpoint.healthy) probing.add(owner.accountId, 1);
    },
    end(owner, succeeded, now) {
      const { accountId } = owner;
      const endpoint = endpoints.find(owner, now);
      if (!endpoint.healthy) probing.add(accountId, -endpoint.busy);
      endpoint.busy -= 1;
      endpoint.healthy = succeeded;
      endpoint.usedAt = now;
      endpoint.slots = succeeded
        ? Math.min(endpoint.slots + 1, limits.perEndpoint)
        : Math.max(Math.min(MIN_SLOTS, limits.perEndpoint), endpoint.slots >> 1);
      if (!endpoint.healthy) probing.add(accountId, endpoint.busy);
      all.add(accountId, -1);
      endpoints.forgetUnused(now);
    },
    busy: () => ({ all: all.used(), probing: probing.used() }),
  };
}

/** Counts slots in use, in total and by account. */
function createTally(most: number) {
  const accounts = new Map<string, number>();
  let used = 0;
  return {
    used: () => used,
    free: () => most - used,
    add(accountId: string, by: number): void {
      used += by;
      const count = (accounts.get(accountId) ?? 0) + by;
      if (count === 0) accounts.delete(accountId);
      else accounts.set(accountId, count);
    },
    /**
     * How many slots may be given now. An account gets more as long as it has less than `ACCOUNT_SHARE` times what it
     * leaves free.
     */
    allowances() {
      const left = new Map<string, number>();
      let free = most - used;
      const allowanceOf = (accountId: string): number =>
        Math.max(0, Math.ceil((ACCOUNT_SHARE * (most - used) - (accounts.get(accountId) ?? 0)) / (ACCOUNT_SHARE + 1)));
      return {
        take(accountId: string, wanted: number): number {
          const allowed = left.get(accountId) ?? allowanceOf(accountId);
          const taken = Math.max(0, Math.min(wanted, allowed, free));
          left.set(accountId, allowed - taken);
          free -= taken;
          return taken;
        },
      };
    },
  };
}

/** The state of each endpoint, with its rate limit as a bucket of tokens. */
function createEndpoints(limits: CapacityLimits) {
  const endpoints = new Map<string, Endpoint>();
  const probingRate = Math.max(1, limits.perSecond * PROBING_RATE);
  const healthyRate = Math.max(1, limits.perSecond);
  let sweptAt = 0;

  return {
    find({ accountId, endpointId }: EndpointOfAccount, now: number): Endpoint {
      let endpoint = endpoints.get(endpointId);
      if (endpoint === undefined) {
        const slots = Math.min(INITIAL_SLOTS, limits.perEndpoint);
        endpoint = { accountId, busy: 0, slots, healthy: false, tokens: probingRate, tokensAt: now, usedAt: now };
        endpoints.set(endpointId, endpoint);
      }
      const rate = endpoint.healthy ? healthyRate : probingRate;
      // A clock that stepped back neither adds nor removes tokens.
      const elapsed = Math.max(0, now - endpoint.tokensAt);
      endpoint.tokens = Math.min(rate, endpoint.tokens + (elapsed * rate) / 1000);
      endpoint.tokensAt = now;
      return endpoint;
    },
    forgetUnused(now: number): void {
      if (now - sweptAt < FORGET_AFTER_MS && now >= sweptAt) return;
      sweptAt = now;
      for (const [id, { busy, usedAt }] of endpoints) {
        if (busy === 0 && now - usedAt > FORGET_AFTER_MS) endpoints.delete(id);
      }
    },
  };
}

/**
 * Divides at most `most` slots among endpoints: each gets an equal share as far as it can use it, and the rest goes to the
 * others in their order.
 *
 * @param free how many slots each can use; an endpoint without any gets none.
 */
export function divide(free: ReadonlyMap<string, number>, most: number): Map<string, number> {
  const wanting = [...free].filter(([, slots]) => slots > 0);
  const equal = Math.max(1, Math.floor(most / Math.max(1, wanting.length)));
  const shares = new Map<string, number>();
  let left = most;
  for (const [id, slots] of wanting) {
    const given = Math.min(equal, slots, left);
    if (given === 0) break;
    shares.set(id, given);
    left -= given;
  }
  for (const [id, given] of shares) {
    const additional = Math.min((free.get(id) as number) - given, left);
    if (additional > 0) shares.set(id, given + additional);
    left -= Math.max(0, additional);
  }
  return shares;
}
