const ALL = ["list", "read", "charge", "callback"];
/** Which answers show a Pix's txid, its returns and its tariff: institutions differ in what they leave out. */
const TXID_IN = [ALL, ["read", "charge", "callback"], ["charge", "callback"], ["charge"]];
const RETURNS_IN = [ALL, ["read", "list"], ["read", "callback"]];
const TARIFFS_IN = [ALL, ["callback"], ["list"], ["read"]];
const of = <T>(list: readonly T[], seed: number): T => list[seed % list.length]!;

/**
 * Whether lists and queries leave out a Pix's txid. A second payment whose notification is lost then belongs to no
 * charge.
 */
export const hidesTxid = (seed: number): boolean => !of(TXID_IN, seed).includes("list");

/** Habits of the institution of this seed. Each exists at a real institution. */
const habitsOf = (seed: number): Record<string, unknown> => ({
  includePayer: 0.5,
  payerIn: ["callback"],
  txidIn: of(TXID_IN, seed),
  returnsIn: of(RETURNS_IN, seed),
  rtrIdDelayMs: 2_500,
  medReturn: { delayMs: 3_000, percent: 60 },
  tariffs: { receivedCentavos: 3, sentCentavos: 7, shownIn: of(TARIFFS_IN, seed) },
});

/** Calls that are now and then answered with 404 although the object exists. */
const ABSENT = [
  ...["putCob", "getCob", "patchCob", "getPix", "listPix", "putReturn", "getReturn"],
  ...["putPayout", "getPayout", "listPayouts", "getBalance", "listInfractions", "postDefence"],
];

/** Every fault of the simulator, each often enough to matter and rarely enough that work gets done. */
export const EVERY_FAULT = (seed: number): Record<string, unknown> => ({
  ...habitsOf(seed),
  readLagMs: { min: 0, max: 1500 },
  callbackRetry: { firstMs: 200, capMs: 2_000, tries: 10 },
  faults: {
    seed,
    rules: [
      { route: "putCob", kind: "timeoutBefore", probability: 0.04, timesPerId: 1, ms: 9_000 },
      { route: "putCob", kind: "timeoutAfter", probability: 0.04, timesPerId: 1, ms: 9_000 },
      { route: "putCob", kind: "reset", probability: 0.05 },
      { route: "putCob", kind: "resetAfter", probability: 0.05 },
      { route: "putCob", kind: "error5xxBefore", probability: 0.05 },
      { route: "putCob", kind: "error5xxAfter", probability: 0.05 },
      { route: "putCob", kind: "error5xxAfter", probability: 0.03, html: true },
      { route: "putCob", kind: "brokenJson", probability: 0.05 },
      { route: "putCob", kind: "tooMany", probability: 0.05 },
      { route: "putCob", kind: "slow", probability: 0.1, ms: 300 },
      { route: "getCob", kind: "error5xxBefore", probability: 0.1 },
      { route: "getCob", kind: "brokenJson", probability: 0.05 },
      { route: "getPix", kind: "error5xxBefore", probability: 0.1 },
      { route: "getPix", kind: "reset", probability: 0.05 },
      { route: "getPix", kind: "slow", probability: 0.1, ms: 300 },
      { route: "listPix", kind: "error5xxBefore", probability: 0.2 },
      { route: "token", kind: "error5xxBefore", probability: 0.1 },
      { route: "callback", kind: "lost", probability: 0.15 },
      { route: "callback", kind: "doubled", probability: 0.2 },
      { route: "callback", kind: "delayed", probability: 0.1, ms: 2_000 },
      { route: "callback", kind: "reordered", probability: 0.2 },
      { route: "callback", kind: "early", probability: 0.1 },
      { route: "callback", kind: "batched", probability: 0.1, size: 3 },
      ...["putReturn", "patchCob"].flatMap((route) => [
        { route, kind: "timeoutBefore", probability: 0.05, timesPerId: 1, ms: 9_000 },
        { route, kind: "timeoutAfter", probability: 0.05, timesPerId: 1, ms: 9_000 },
        { route, kind: "reset", probability: 0.1 },
        { route, kind: "resetAfter", probability: 0.1 },
        { route, kind: "error5xxBefore", probability: 0.1 },
        { route, kind: "error5xxAfter", probability: 0.1 },
        { route, kind: "brokenJson", probability: 0.1 },
        { route, kind: "tooMany", probability: 0.05 },
      ]),
      { route: "putPayout", kind: "timeoutBefore", probability: 0.05, timesPerId: 1, ms: 9_000 },
      { route: "putPayout", kind: "timeoutAfter", probability: 0.05, timesPerId: 1, ms: 9_000 },
      { route: "putPayout", kind: "reset", probability: 0.05 },
      { route: "putPayout", kind: "resetAfter", probability: 0.1 },
      { route: "putPayout", kind: "error5xxBefore", probability: 0.05 },
      { route: "putPayout", kind: "error5xxAfter", probability: 0.1 },
      { route: "putPayout", kind: "brokenJson", probability: 0.1 },
      { route: "putPayout", kind: "tooMany", probability: 0.05 },
      // The second step of a payout that was prepared.
      { route: "authorisePayout", kind: "reset", probability: 0.1 },
      { route: "authorisePayout", kind: "resetAfter", probability: 0.1 },
      { route: "authorisePayout", kind: "error5xxBefore", probability: 0.1 },
      { route: "authorisePayout", kind: "error5xxAfter", probability: 0.1 },
      { route: "authorisePayout", kind: "brokenJson", probability: 0.1 },
      { route: "authorisePayout", kind: "tooMany", probability: 0.05 },
      { route: "getPayout", kind: "error5xxBefore", probability: 0.2 },
      { route: "getPayout", kind: "brokenJson", probability: 0.1 },
      // 404s for objects that exist: from a proxy that does not know the path, and from the institution without naming
      // an object. They prove nothing.
      ...ABSENT.flatMap((route) => [
        { route, kind: "notFound", probability: 0.04 },
        { route, kind: "notFound", probability: 0.04, generic: true },
      ]),
      { route: "listInfractions", kind: "error5xxBefore", probability: 0.2 },
      { route: "getReturn", kind: "error5xxBefore", probability: 0.2 },
      { route: "getReturn", kind: "brokenJson", probability: 0.1 },
    ],
  },
});
