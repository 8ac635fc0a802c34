/** What a case is about, in words: a key of the texts under `operator.subject`, its id, and the screen that shows it. */
type Subject = {
  readonly key: string;
  /** Empty: the words say it all. */
  readonly id: string;
  readonly href?: string;
  /** The day of a comparison that it was found in. */
  readonly day?: string;
};

type Data = Readonly<Record<string, unknown>>;

const OF_KIND: Readonly<Record<string, readonly [key: string, hrefOf?: (id: string) => string]>> = {
  payout_unresolved: ["payout", (id) => `/operator/withdrawals?open=${id}`],
  payout_contradiction: ["payout", (id) => `/operator/withdrawals?open=${id}`],
  payout_awaiting_bank: ["payout", (id) => `/operator/withdrawals?open=${id}`],
  payout_unconfirmed: ["payout", (id) => `/operator/withdrawals?open=${id}`],
  return_unresolved: ["return"],
  return_failed: ["return"],
  block_without_return: ["block"],
  block_overdue: ["block"],
  unmatched_receipt: ["receipt"],
  books_broken: ["finding", () => "/operator/books"],
  wallet_debt: ["wallet"],
  installation_restored: ["installation"],
  block_contradicted: ["block"],
  second_person_needed: ["call"],
  treasury_entry: ["treasury", (id) => `/operator/treasury?open=${id}`],
  token_expiring: ["token", (id) => `/operator/tokens?open=${id}`],
};
/** About the institution as a whole, which the case names by itself. */
const OF_INSTITUTION = ["balance_drift", "certificate_expiring"];

/** Null where the case has said it already: its institution. */
export function subjectOf(kind: string, objectId: string, data: Data = {}): Subject | null {
  if (OF_INSTITUTION.includes(kind)) return null;
  if (kind === "reconciliation_difference") return foundOf(data);
  const [key, hrefOf] = OF_KIND[kind] ?? ["", undefined];
  // The list of movements that opens names it by what it is.
  return { key, id: kind === "treasury_entry" ? "" : objectId, ...(hrefOf && { href: hrefOf(objectId) }) };
}

/** One Pix has a key, a list has none. */
function foundOf({ kind, key, day }: Data): Subject {
  const id = typeof key === "string" ? key : "";
  return {
    key: id === "" ? `list.${String(kind)}` : String(kind),
    id,
    ...(typeof day === "string" && { day, href: `/operator/reconciliation?day=${day}` }),
  };
}
