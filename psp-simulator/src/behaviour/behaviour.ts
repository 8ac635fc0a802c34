/** Whose habits: the Central Bank's standard, or Efí's. */
const DIALECTS = ["bcb", "efi"] as const;
export type Dialect = (typeof DIALECTS)[number];
/** Banks whose habits `--dialect` knows. Inter speaks the standard, with habits of its own (`standardOf`). */
export const SPOKEN = [...DIALECTS, "inter"] as const;
export type Spoken = (typeof SPOKEN)[number];

/** A fixed number of milliseconds, or one drawn for each id from the seed. */
export type Duration = number | { min: number; max: number };

/** Calls that a fault rule may name; `*` stands for every call of a client, `callback` for what the PSP sends. */
export const ROUTES = [
  "token",
  "putCob",
  "postCob",
  "getCob",
  "patchCob",
  "listCob",
  "putCobv",
  "getCobv",
  "patchCobv",
  "listCobv",
  "putLote",
  "patchLote",
  "getLote",
  "listLote",
  "postLoc",
  "listLoc",
  "getLoc",
  "unlinkLoc",
  "getLocQr",
  "getPayload",
  "getPix",
  "listPix",
  "putReturn",
  "getReturn",
  "putWebhook",
  "getWebhook",
  "deleteWebhook",
  "listWebhook",
  "putPayout",
  "authorisePayout",
  "getPayout",
  "listPayouts",
  "getBalance",
  "getAccountBalance",
  "putPayoutWebhook",
  "getPayoutWebhook",
  "listInfractions",
  "postDefence",
  "detailQr",
  "getReceipt",
  "resendWebhook",
  "postEvp",
  "listEvp",
  "deleteEvp",
  "getBucket",
  "getSettings",
  "putSettings",
] as const;
export type Route = (typeof ROUTES)[number];

export const REQUEST_FAULTS = [
  "slow",
  "timeoutBefore",
  "timeoutAfter",
  "reset",
  "resetAfter",
  "error5xxBefore",
  "error5xxAfter",
  "tooMany",
  "notFound",
  "brokenJson",
] as const;
export type RequestFault = (typeof REQUEST_FAULTS)[number];

export const CALLBACK_FAULTS = ["lost", "doubled", "delayed", "reordered", "early", "batched"] as const;
export type CallbackFault = (typeof CALLBACK_FAULTS)[number];

export type FaultRule = {
  route: Route | "*" | "callback";
  kind: RequestFault | CallbackFault;
  probability: number;
  /** At most this often in all, in order of arrival. */
  times?: number;
  /** Only the first calls for each id; unlike `times` it does not depend on the order of arrival. */
  timesPerId?: number;
  /** Milliseconds: how long it is slow, held, delayed, early or batched; each kind has a default. */
  ms?: number;
  /** error5xx*: 500, 503 or 504. */
  status?: 500 | 503 | 504;
  /** error5xx*: a page of HTML, as a gateway in front of the bank would answer. */
  html?: boolean;
  /** notFound: as a problem `NaoEncontrado`, which names no object; left out: as a proxy that knows no such path. */
  generic?: boolean;
  /** tooMany: seconds in Retry-After. */
  retryAfter?: number;
  /** batched: how many Pix make a callback full. */
  size?: number;
};

/** Where a client sees a Pix: `GET /pix`, `GET /pix/{e2eid}`, the Pix of `GET /cob`, a callback. For a payout: its list, its read, its callback. */
export const PLACES = ["list", "read", "charge", "callback"] as const;
export type Place = (typeof PLACES)[number];

export type Behaviour = {
  /** `bcb`: a repeated PUT is harmless or replaces; `efi`: it is refused with 409. */
  putMode: Dialect;
  /** Shape of the errors of the standard's routes: problems, or Efí's `{nome, mensagem}` with 400 for what is not found. */
  dialect: Dialect;
  /**
   * Whether a Pix names its payer; a number is the probability. The standard leaves the payer out. In Efí's dialect only
   * callbacks name it, and only where the settings say so.
   */
  includePayer: boolean | number;
  /** Where a Pix shows its `txid`, which the standard lets a PSP leave out. */
  txidIn: readonly Place[];
  /** Where a Pix that names its payer does so. */
  payerIn: readonly Place[];
  /** Where Pix and payouts show their returns. */
  returnsIn: readonly Place[];
  /** Where a Pix without a `txid` is seen at all: some PSPs list only those of charges. */
  plainIn: readonly Place[];
  /**
   * Words that clients see for statuses of charges, returns and payouts, by the simulator's own: newer versions of the
   * standard have more of them.
   */
  statusWords: Readonly<Record<string, string>>;
  /** How many calls of a route are answered within a minute; more are refused with 429. */
  perMinute: Readonly<Partial<Record<Route, number>>>;
  /** At most how many items a list shows, whatever page is asked for, without a word about pages or others; 0: it pages as the standard says. */
  silentListCap: number;
  /** Lists of received and sent Pix ignore the hour: they show the whole days, of UTC, that a period touches. */
  listsDays: boolean;
  /** `PATCH /cobv` keeps a fine, interest, abatement or discount that its `valor` leaves out; otherwise such a part goes. */
  patchKeepsParts: boolean;
  /** Where a Pix shows its amount with a comma, which the standard does not know. */
  commaIn: readonly Place[];
  /** Where returns of a Pix or payout show their amount with a comma. */
  returnsCommaIn: readonly Place[];
  /** How long a return has no `rtrId` yet, only its `id`. */
  rtrIdDelayMs: number;
  /** The PSP's own return after it has accepted a MED case: how much later, and what part of the contested amount. */
  medReturn: { delayMs: number; percent: number };
  /** What the PSP takes from the balance for each Pix received and each payout made, and where it shows that (`gnExtras.tarifa`). */
  tariffs: { receivedCentavos: number; sentCentavos: number; shownIn: readonly Place[] };
  /** Percent of each received Pix that the PSP keeps back as tax: `valorLiquido` shows the rest, which is all that is credited. */
  withheldPercent: number;
  /** Where a Pix shows what is left of it after tax. */
  withheldIn: readonly Place[];
  /** How long reads do not show a Pix that was paid. */
  readLagMs: Duration;
  /** Seconds. */
  tokenExpiresIn: number;
  returnDelayMs: number;
  payoutDelayMs: number;
  /** Callbacks of receipts are a bare list of Pix, without the object around it. */
  bareCallbacks: boolean;
  /** For how long the key of a payout of Inter's API is known: after that a repeat pays again; 0: for ever. */
  keyRememberedMs: number;
  /** A payout waits until a person has approved it, which the control API's `settle` does, or refuses. */
  payoutApproval: boolean;
  /** A payout is analysed until the control API's `settle` ends it. */
  payoutAnalysis: boolean;
  /** What the account holds before anything moves, in centavos. */
  openingBalanceCentavos: number;
  /** A payout without the money for it: refused at once (422), or taken on and failed after `payoutDelayMs`. */
  insufficientBalance: "refuse" | "fail";
  callbackDelayMs: number;
  /** Pauses between attempts double from `firstMs` up to `capMs`; after `tries` attempts it is given up. */
  callbackRetry: { firstMs: number; capMs: number; tries: number };
  /** false: no callbacks at all. */
  autoNotify: boolean;
  /** Charges that pay themselves. */
  autoPay: { probability: number; delayMs: Duration };
  faults: { seed: number; rules: FaultRule[] };
};

export const DEFAULT_BEHAVIOUR: Behaviour = {
  putMode: "bcb",
  dialect: "bcb",
  includePayer: true,
  txidIn: PLACES,
  payerIn: PLACES,
  returnsIn: PLACES,
  plainIn: PLACES,
  statusWords: {},
  perMinute: {},
  silentListCap: 0,
  listsDays: false,
  patchKeepsParts: false,
  commaIn: [],
  returnsCommaIn: [],
  rtrIdDelayMs: 0,
  medReturn: { delayMs: 0, percent: 100 },
  tariffs: { receivedCentavos: 0, sentCentavos: 0, shownIn: PLACES },
  withheldPercent: 0,
  withheldIn: PLACES,
  readLagMs: 0,
  tokenExpiresIn: 3600,
  returnDelayMs: 500,
  payoutDelayMs: 500,
  bareCallbacks: false,
  keyRememberedMs: 0,
  payoutApproval: false,
  payoutAnalysis: false,
  openingBalanceCentavos: 1_000_000_000,
  insufficientBalance: "refuse",
  callbackDelayMs: 0,
  callbackRetry: { firstMs: 1000, capMs: 60_000, tries: 10 },
  autoNotify: true,
  autoPay: { probability: 0, delayMs: 1000 },
  faults: { seed: 1, rules: [] },
};

/** What a program of a dialect (`--dialect`) does until it is configured otherwise. */
export const standardOf = (spoken: Spoken): Behaviour =>
  spoken === "inter"
    ? { ...DEFAULT_BEHAVIOUR, includePayer: false, plainIn: [], bareCallbacks: true }
    : { ...DEFAULT_BEHAVIOUR, dialect: spoken, putMode: spoken };

/** A status as clients see it. */
export const worded = ({ statusWords }: Behaviour, status: string): string => statusWords[status] ?? status;
