/**
 * Where the books are broken, and the figures, read from the auditor's words: `withdrawal 0190…: amount 1000, booked 999`. Each
 * rule has its form (gateway/src/auditor/invariants), and all of them are known here; one that is not stays as it is.
 */

/** What a figure is, still to be shown in the reader's language. Movements, actions and words are codes. */
export type Value =
  | { readonly centavos: number }
  | { readonly count: number }
  | { readonly day: string }
  | { readonly at: string }
  | { readonly movement: string }
  | { readonly action: string }
  | { readonly word: string }
  | { readonly code: string }
  | { readonly thing: Thing };

/** An object of the account's, by what it is and its id. */
export type Thing = { readonly kind: ThingKind; readonly id: string };
type ThingKind = (typeof THINGS)[number] | "endpoint" | "event" | "payout" | "account";

const THINGS = [
  "charge",
  "withdrawal",
  "refund",
  "block",
  "wallet",
  "return",
  "institution",
  "pix",
  "treasury",
  "cause",
] as const;

/** A text under `operator.books.fact`, and its value. */
export type Fact = readonly [key: string, value: Value];

/** The facts of a finding in their order; null: its form is not known. */
export function factsOf(invariant: string, detail: string): readonly Fact[] | null {
  const at = detail.indexOf(": ");
  const place = read(PLACES, at < 0 ? detail : detail.slice(0, at));
  const text = detail.slice(at + 2);
  const figures = at < 0 ? [] : read(FIGURES, /^O[45]$/.test(invariant) ? `tariff ${text}` : text);
  if (place === null || figures === null) return null;
  return [...place, ...figures, ...differenceOf(invariant, figures)];
}

type Form = readonly [RegExp, (...parts: string[]) => readonly Fact[] | null];

function read(forms: readonly Form[], text: string): readonly Fact[] | null {
  for (const [form, factsOf] of forms) {
    const parts = form.exec(text);
    if (parts !== null) return factsOf(...parts.slice(1));
  }
  return null;
}

const centavos = (key: string, value: string): Fact => [key, { centavos: Number(value) }];
const count = (key: string, value: string): Fact => [key, { count: Number(value) }];
const word = (key: string, value: string): Fact => [key, { word: value }];
const code = (key: string, value: string): Fact => [key, { code: value }];
const day = (value: string): Fact => ["day", { day: value }];
const thing = (kind: ThingKind, id: string): Fact => [kind, { thing: { kind, id } }];

/** What has a transfer's source as its id, by how its kind begins. */
const SOURCES: readonly (readonly [RegExp, ThingKind])[] = [
  [/^(withdrawal_returned|deposit_returned|return_written_off|psp_return)$/, "return"],
  [/^(top_up|sweep|tariff|interbank|loss|gain)$/, "treasury"],
  [/^charge_/, "charge"],
  [/^withdrawal_/, "withdrawal"],
  [/^refund_/, "refund"],
  [/^(balance_)?block_/, "block"],
];
const sourceOf = (movement: string, id: string): Fact =>
  thing(SOURCES.find(([kinds]) => kinds.test(movement))?.[1] ?? "cause", id);

const ID = "[0-9a-f]{8}-[0-9a-f-]{27}";
const DAY = "\\d{4}-\\d\\d-\\d\\d";
const form = (text: string): RegExp => new RegExp(`^${text.replaceAll("ID", ID).replaceAll("DAY", DAY)}$`);

const PLACES: readonly Form[] = [
  [form("charge (ID), pix (\\S+)"), (id, e2e) => [thing("charge", id!), thing("pix", e2e!)]],
  [
    form(`(${THINGS.join("|")}) (\\S+?)(?: leg \\d+)?(?: \\((.+)\\))?(?: on (DAY))?`),
    (kind, id, status, on) => [
      thing(kind as ThingKind, id!),
      ...(status === undefined ? [] : [word("status", status)]),
      ...(on === undefined ? [] : [day(on)]),
    ],
  ],
  [form("event (\\S+), endpoint (ID)"), (event, id) => [["event", { code: event! }], thing("endpoint", id!)]],
  [form("tariff of (received|sent) (\\S+)"), (kind, id) => [thing(kind === "sent" ? "payout" : "pix", id!)]],
  [form("(?!loss)([a-z_]+s) (ID)"), (table, id) => [code("table", table!), code("row", id!)]],
  [
    form("(?:transfer |evidence of )?([a-z_]+) (ID)(?: leg \\d+)?"),
    (kind, id) => [["movement", { movement: kind! }], sourceOf(kind!, id!)],
  ],
  // Of a setting, a decision or a table: the names that the audit log and the database have.
  [form("setting (\\S+)"), (name) => [code("setting", name!)]],
  [form("wallet (\\S+), (\\S+)"), (wallet, name) => [code("wallet", wallet!), code("setting", name!)]],
  [form("(proposal|brake) (\\S+?)(?: \\((\\w+)\\))?"), (kind, id) => [code(kind!, id!)]],
  [form("hour (.+)"), (hour) => [code("hour", hour!)]],
  [form("([a-z_]+) of (ID)"), (table, id) => [code("table", table!), thing("institution", id!)]],
  [form("close (\\d+), (\\w+)"), (no, kind) => [count("ledgerAccount", no!), ["movement", { movement: kind! }]]],
  [form("close (\\d+) of (DAY)"), (no, on) => [count("ledgerAccount", no!), day(on!)]],
  [form("positions of (DAY)"), (on) => [day(on!)]],
  [form("audit entry (\\d+)"), (no) => [count("auditEntry", no!)]],
  [form("account (\\d+), line (\\d+)"), (no, line) => [count("ledgerAccount", no!), count("line", line!)]],
  [form("account (\\d+)"), (no) => [count("ledgerAccount", no!)]],
  [form("([a-z_]+) (\\d+)"), (kind, no) => [word("ledger", kind!), count("ledgerAccount", no!)]],
  [form("(returns|suspense)"), (kind) => [word("ledger", kind!)]],
  [form("balances"), () => []],
];

/** Names of amounts, and their texts. What money does in one rule is not what it does in another. */
const AMOUNTS: Readonly<Record<string, string>> = {
  amount: "amount",
  fee: "fee",
  tariff: "tariff",
  "should be": "due",
  due: "due",
  booked: "booked",
  decided: "decided",
  balance: "balance",
  lines: "lines",
  "sum is": "sum",
  holds: "holds",
  open: "open",
  held: "held",
  net: "net",
  served: "served",
  taken: "taken",
  returned: "returned",
  returns: "returns",
  claimed: "claimed",
  received: "received",
  released: "released",
  "taken back": "takenBack",
  "fee back": "feeBack",
  before: "before",
  opening: "opening",
  moved: "moved",
  closing: "closing",
  "set aside and not back": "setAside",
  "receipts that wait": "waiting",
};

/** `amount 1000, booked 999`. */
function amountsOf(list: string): readonly Fact[] | null {
  const facts = list.split(", ").map((one): Fact | null => {
    const [, name = "", value = ""] = /^(.+) (-?\d+)$/.exec(one) ?? [];
    const key = AMOUNTS[name];
    return key === undefined ? null : centavos(key, value);
  });
  return facts.includes(null) ? null : (facts as Fact[]);
}

const FIGURES: readonly Form[] = [
  [
    /^seq (\d+), lines (\d+), distinct (\d+), last (\d+)$/,
    (seq, lines, distinct, last) => [
      count("lastNumber", seq!),
      count("lineCount", lines!),
      count("distinct", distinct!),
      count("lastLine", last!),
    ],
  ],
  [
    /^after (\d+), head (\S+)$/,
    (after, head) => [count("after", after!), /^\d/.test(head!) ? count("head", head!) : word("head", head!)],
  ],
  [/^status (\S+), (.+)$/, (status, list) => joined(word("status", status!), amountsOf(list!))],
  [
    /^(withdrawal_\w+) (\d+), (.+)$/,
    (kind, due, list) => joined(["movement", { movement: kind! }], amountsOf(`due ${due}, ${list}`)),
  ],
  [
    /^([a-z_]+) (-?\d+), should be (-?\d+)$/,
    (kind, found, due) => joined(word("ledger", kind!), amountsOf(`balance ${found}, due ${due}`)),
  ],
  [/^(\d+) of (\d+) shown$/, (shown, of) => [centavos("shown", shown!), centavos("returned", of!)]],
  [
    /^(\d+) returns of (\d+), amount (\d+)$/,
    (times, of, amount) => [count("returnCount", times!), centavos("returns", of!), centavos("amount", amount!)],
  ],
  [/^(\d+) refunds$/, (times) => [count("refundCount", times!)]],
  [/^(\d+) returns without event$/, (times) => [count("withoutEvent", times!)]],
  [/^back, and no event$/, () => [count("withoutEvent", "1")]],
  [/^is also in account (.+)$/, (id) => [thing("account", id!)]],
  [
    /^(in|out) of (\S+), counterpart (\S+)$/,
    (way, id, other) => [
      word("direction", way!),
      ["movementId", { code: id! }],
      other === "none" ? word("counterpart", other) : ["counterpart", { code: other! }],
    ],
  ],
  [
    /^moved (-?\d+) in \d+, lines (-?\d+) in \d+$/,
    (moved, lines) => [centavos("moved", moved!), centavos("lines", lines!)],
  ],
  [
    /^counted (\d+) in \d+, withdrawn (\d+) in \d+$/,
    (counted, withdrawn) => [centavos("counted", counted!), centavos("withdrawn", withdrawn!)],
  ],
  [/^is (.+), decided (.+)$/, (found, decided) => [code("found", found!), code("decided", decided!)]],
  [/^(no evidence|evidence of (?:nothing|another time|another institution))$/, (words) => [word("evidence", words!)]],
  [/^about (\S+)$/, (about) => [code("about", about!)]],
  [form("(\\w+) (E\\S+|ID)"), (origin, about) => [code("evidence", origin!), code("about", about!)]],
  [/^is not what was asked for$/, () => [word("status", "not_asked")]],
  [/^of pix (\S+) at (\S+)$/, (e2e, at) => [thing("pix", e2e!), thing("institution", at!)]],
  [/^([\w.]+) by (.+)$/, (action, by) => [["action", { action: action! }], code("by", by!)]],
  [/^(\S+) > (\S+)$/, (from, to) => [word("from", from!), word("to", to!)]],
  [
    /^([\w.]+) of (\d{4}-\S+Z)$/,
    (action, at) => [
      ["action", { action: action! }],
      ["at", { at: at! }],
    ],
  ],
  [/^(\w+), (no schedule|scheduled)$/, (status, schedule) => [word("status", status!), word("schedule", schedule!)]],
  [/^([\w ]+), return (\w+)$/, (status, other) => [word("status", status!), word("statusOfReturn", other!)]],
  [/^([\w ]+), there (\w+)$/, (status, there) => [word("status", status!), word("statusThere", there!)]],
  [/^([a-zA-Z]+_\w+|txid) ([^,]+)$/, (field, value) => [code("field", field!), code("value", value!)]],
  [/^(\w+), account (\w+)$/, (of, account) => [word("environment", of!), word("environmentOfAccount", account!)]],
  [/^(\d+)$/, (figure) => [count("times", figure!)]],
  [/^(\w+)$/, (event) => [["event", { code: event! }]]],
  [/^(.+)$/, (list) => amountsOf(list!)],
];
const joined = (first: Fact, others: readonly Fact[] | null): readonly Fact[] | null => others && [first, ...others];

/** Rules whose two amounts need not be equal, or are no pair. */
const NO_PAIR = ["C5", "W3", "W5"];

/** What two amounts differ by that should be one: the first thing that somebody works out. */
function differenceOf(invariant: string, figures: readonly Fact[]): readonly Fact[] {
  const amounts = figures.flatMap(([, value]) => ("centavos" in value ? [value.centavos] : []));
  const [one, other] = amounts;
  if (amounts.length !== 2 || one === other || NO_PAIR.includes(invariant)) return [];
  return [["difference", { centavos: Math.abs(one! - other!) }]];
}
