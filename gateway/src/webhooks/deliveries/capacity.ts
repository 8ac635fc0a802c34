/** What bounds the attempts of one process (docs/operating.md). */
export type RoomLimits = {
  /** Attempts under way at once, in all. */
  readonly inFlight: number;
  /** Attempts under way at once to one endpoint that answers. */
  readonly perEndpoint: number;
  /** Attempts begun per second to one endpoint, with bursts of as many. */
  readonly perSecond: number;
};

/** An endpoint begins with this many places. */
const BEGINNING = 8;
/** One that fails or hangs keeps this many, so that it is found again when it is back. */
const LEAST = 2;
/** Part of its rate that an endpoint which does not answer has: each attempt costs what one that succeeds costs. */
const DOUBTFUL_RATE = 0.05;
/** What is known of an endpoint that nothing was sent to for this long is forgotten, milliseconds. */
const FORGET = 300_000;

type Endpoint = {
  busy: number;
  /** Places: one more for every success, half for every failure. */
  places: number;
  /** Its last attempt succeeded. One that nothing was sent to yet has not shown that it answers. */
  answers: boolean;
  tokens: number;
  tokensAt: number;
  usedAt: number;
};

/**
 * The places of attempts under way. Endpoints that fail, or have not answered yet, may take at most half of all places
 * together, whatever their number: the other half is always there for those that answer. Times are milliseconds, given
 * by the caller.
 */
export type Room = {
  /** Places that are free, in all. */
  free(): number;
  /** Attempts that may begin to an endpoint now; `most` bounds those under way to it. */
  freeFor(endpointId: string, now: number, most?: number): number;
  begin(endpointId: string, now: number): void;
  end(endpointId: string, succeeded: boolean, now: number): void;
  /** Attempts under way: in all, and to endpoints that do not answer. */
  busy(): { readonly all: number; readonly doubtful: number };
};

export function createRoom(limits: RoomLimits): Room {
  const endpoints = new Map<string, Endpoint>();
  let all = 0;
  let doubtful = 0;
  let sweptAt = 0;

  function find(endpointId: string, now: number): Endpoint {
    let known = endpoints.get(endpointId);
    if (known === undefined) {
      const places = Math.min(BEGINNING, limits.perEndpoint);
      known = {
        busy: 0,
        places,
        answers: false,
        tokens: Math.max(1, limits.perSecond * DOUBTFUL_RATE),
        tokensAt: now,
        usedAt: now,
      };
      endpoints.set(endpointId, known);
    }
    // A clock that stepped back gives nothing, and takes nothing.
    const rate = Math.max(1, known.answers ? limits.perSecond : limits.perSecond * DOUBTFUL_RATE);
    known.tokens = Math.min(rate, known.tokens + (Math.max(0, now - known.tokensAt) * rate) / 1000);
    known.tokensAt = now;
    return known;
  }

  function sweep(now: number): void {
    if (now - sweptAt < FORGET && now >= sweptAt) return;
    sweptAt = now;
    for (const [id, known] of endpoints) if (known.busy === 0 && now - known.usedAt > FORGET) endpoints.delete(id);
  }

  return {
    free: () => limits.inFlight - all,
    freeFor(endpointId, now, most = limits.perEndpoint) {
      const known = find(endpointId, now);
      const places = Math.min(
        Math.min(known.places, most) - known.busy,
        Math.floor(known.tokens),
        limits.inFlight - all,
      );
      return Math.max(0, known.answers ? places : Math.min(places, (limits.inFlight >> 1) - doubtful));
    },
    begin(endpointId, now) {
      const known = find(endpointId, now);
      known.busy += 1;
      known.tokens -= 1;
      known.usedAt = now;
      all += 1;
      if (!known.answers) doubtful += 1;
    },
    end(endpointId, succeeded, now) {
      const known = find(endpointId, now);
      if (!known.answers) doubtful -= known.busy;
      known.busy -= 1;
      known.answers = succeeded;
      known.usedAt = now;
      known.places = succeeded
        ? Math.min(known.places + 1, limits.perEndpoint)
        : Math.max(Math.min(LEAST, limits.perEndpoint), known.places >> 1);
      if (!known.answers) doubtful += known.busy;
      all -= 1;
      sweep(now);
    },
    busy: () => ({ all, doubtful }),
  };
}

/**
 * Divides free places among endpoints that have work: each gets an equal share, what some cannot use goes to the
 * others, in the order given. `most` bounds the sum.
 */
export function divide(
  endpoints: readonly string[],
  most: number,
  freeFor: (endpointId: string) => number,
): Map<string, number> {
  const shares = new Map<string, number>();
  let left = most;
  const free = new Map<string, number>();
  for (const id of endpoints) {
    const places = freeFor(id);
    if (places > 0) free.set(id, places);
  }
  const share = Math.max(1, Math.floor(most / Math.max(1, free.size)));
  for (const [id, places] of free) {
    const given = Math.min(share, places, left);
    if (given === 0) break;
    shares.set(id, given);
    left -= given;
  }
  for (const [id, given] of shares) {
    const more = Math.min((free.get(id) as number) - given, left);
    if (more > 0) shares.set(id, given + more);
    left -= Math.max(0, more);
  }
  return shares;
}
