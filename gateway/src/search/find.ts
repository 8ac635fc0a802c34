import { MOST_COMPARED, plain, plainOf } from "../db/compare-names.ts";
import type { Queries } from "../db/pool.ts";
import { type Fragment, literal, part, sql } from "../db/sql.ts";
import { firstUuidAt, ID_SLACK, parseTxid } from "../lib/ids.ts";
import type { Question } from "./question.ts";

/** What can be found. `receipt`: a received Pix, whatever its outcome; `return`: an automatic return. */
export const FOUND_KINDS = [
  "account", "subAccount", "charge", "receipt", "withdrawal", "refund", "movement", "block", "return", "credential", "endpoint",
  "paymentLink", "qrCode", "project",
] as const; // biome-ignore format: a list
/** The property by which it was found. */
export const FOUND_BY = [
  "id", "e2eId", "txid", "document", "email", "amountOnDay", "reference", "idempotencyKey", "name", "amount",
] as const; // biome-ignore format: a list

export type FoundRow = {
  readonly kind: (typeof FOUND_KINDS)[number];
  readonly by: (typeof FOUND_BY)[number];
  readonly accountId: string;
  readonly id: string;
  /** Null: the main account, or no wallet. */
  readonly subAccount: string | null;
  readonly status: string | null;
  /** Centavos. */
  readonly amount: number | null;
  readonly e2eId: string | null;
  readonly reference: string | null;
  readonly name: string | null;
  readonly document: string | null;
  readonly at: Date;
};

/** Whose objects are searched: one wallet's, or (null) those of all accounts. */
type SearchScope = {
  readonly accountId: string;
  readonly walletId: string;
  /** What the caller may not read elsewhere: addresses of webhooks often hold a secret. */
  readonly hides: readonly FoundRow["kind"][];
} | null;

/** Most rows of each kind and way in an answer. */
export const MOST = 20;

type Source = {
  readonly kind: FoundRow["kind"];
  /** A table with the alias `t`. */
  readonly from: Fragment;
  readonly id: Fragment;
  readonly wallet: Fragment;
  readonly status: Fragment;
  readonly amount: Fragment;
  readonly e2e: Fragment;
  readonly reference: Fragment;
  readonly name: Fragment;
  readonly document: Fragment;
  readonly at: Fragment;
};

const NONE = part`null::text`;
const bare = {
  wallet: part`t.wallet_id`,
  e2e: NONE,
  reference: NONE,
  name: NONE,
  document: NONE,
  at: part`t.created_at`,
};
const MONEY = { status: part`t.status`, amount: part`t.amount` };
const SOURCES = {
  charge: {
    ...bare, ...MONEY, kind: "charge", from: part`charges t`, id: part`t.charge_id`, e2e: part`t.e2e_id`,
    reference: part`t.external_reference`, name: part`coalesce(t.counterpart_name, t.customer ->> 'name')`,
    document: part`coalesce(t.counterpart_document, t.customer ->> 'document')`,
  },
  receipt: {
    ...bare, kind: "receipt", from: part`received_pix t`, id: part`coalesce(t.charge_id, t.pix_id)`, status: part`t.outcome`,
    amount: part`t.amount`, e2e: part`t.e2e_id`, reference: part`t.txid`, name: part`t.payer_name`,
    document: part`t.payer_document`, at: part`t.paid_at`,
  },
  withdrawal: {
    ...bare, ...MONEY, kind: "withdrawal", from: part`withdrawals t`, id: part`t.withdrawal_id`, e2e: part`t.e2e_id`,
    reference: part`t.external_reference`, name: part`t.holder_name`, document: part`t.holder_document`,
  },
  refund: { ...bare, ...MONEY, kind: "refund", from: part`refunds t`, id: part`t.refund_id`, e2e: part`t.rtr_id` },
  movement: {
    ...bare, kind: "movement", from: part`movements t`, id: part`t.movement_id`, status: part`t.type`, amount: part`t.amount`,
    reference: part`t.external_reference`,
  },
  block: { ...bare, ...MONEY, kind: "block", from: part`balance_blocks t`, id: part`t.block_id`, e2e: part`t.e2e_id` },
  return: {
    ...bare, ...MONEY, kind: "return", from: part`pix_returns t`, id: part`t.return_id`, wallet: part`null::uuid`,
    e2e: part`t.e2e_id`,
  },
  account: {
    ...bare, kind: "account", from: part`accounts t`, id: part`t.account_id`, wallet: part`null::uuid`, status: part`t.status`,
    amount: part`null::bigint`, name: part`t.name`, document: part`t.document`,
  },
  subAccount: {
    ...bare, kind: "subAccount", from: part`wallets t`, id: part`t.wallet_id`, status: part`t.status`,
    amount: part`null::bigint`, reference: part`t.reference`, name: part`t.name`,
  },
  credential: {
    ...bare, kind: "credential", from: part`credentials t`, id: part`t.credential_id`, wallet: part`null::uuid`,
    status: part`case when t.revoked_at is null then 'active' else 'revoked' end`, amount: part`null::bigint`,
    reference: part`t.client_id`, name: part`t.name`,
  },
  endpoint: {
    ...bare, kind: "endpoint", from: part`webhook_endpoints t`, id: part`t.endpoint_id`,
    status: part`case when t.deleted_at is not null then 'deleted' when t.enabled then 'enabled' else 'disabled' end`,
    amount: part`null::bigint`, reference: part`t.url`,
  },
  paymentLink: {
    ...bare, ...MONEY, kind: "paymentLink", from: part`payment_links t`, id: part`t.link_id`, name: part`t.name`,
    reference: part`t.external_reference`,
  },
  qrCode: { ...bare, ...MONEY, kind: "qrCode", from: part`qr_codes t`, id: part`t.qr_code_id`, name: part`t.name` },
  project: {
    ...bare, kind: "project", from: part`projects t`, id: part`t.project_id`, status: NONE, amount: part`null::bigint`,
    name: part`t.name`,
  },
} as const satisfies Readonly<Record<string, Source>>; // biome-ignore format: a row or two each

/** A way to find rows of a kind: a condition on `t`. */
type Way = {
  readonly source: Source;
  readonly by: FoundRow["by"];
  readonly where: Fragment;
  readonly wide?: "wallets";
  /** The order in which rows are read, where that is not the order of their times. */
  readonly order?: Fragment;
};

/**
 * Finds everything that a question can mean, newest first, at most `MOST` of each kind and way.
 *
 * The indexes that exist only for searches are of block ranges (by document, e-mail, and amount with day): inserts into a
 * range that is being filled write nothing to them, and settlements neither. Ids, references and keys are looked up once in
 * each account or wallet, by the indexes that lists use anyway: some 5 µs each, so 10,000 wallets take 50 ms.
 */
export async function find(
  queries: Queries,
  scope: SearchScope,
  question: Question,
): Promise<{ readonly rows: readonly FoundRow[]; readonly areAll: boolean }> {
  const found = new Map<string, FoundRow>();
  const nearby = scope === null ? null : await waysNearby(queries, scope, question);
  const hidden = scope === null ? [] : ["account", "subAccount", "credential", ...scope.hides];
  for (const way of [...waysOf(question), ...(nearby?.ways ?? [])]) {
    if (hidden.includes(way.source.kind)) continue;
    for (const row of await findBy(queries, scope, way)) {
      const key = `${row.accountId} ${row.id} ${row.kind}`;
      if (!found.has(key)) found.set(key, row);
    }
  }
  const rows = [...found.values()].sort((a, b) => b.at.getTime() - a.at.getTime());
  return { rows, areAll: nearby?.areAll ?? true };
}

async function findBy(
  queries: Queries,
  scope: SearchScope,
  { source: s, by, where, wide, order = s.at }: Way,
): Promise<FoundRow[]> {
  const [accountId, walletId] = [scope?.accountId ?? null, scope?.walletId ?? null];
  // Every index begins with the account or wallet, so the look-up iterates over them.
  const over = wide === "wallets" ? part`join wallets v on v.account_id = a.account_id` : part``;
  const ofWallet = wide === "wallets" ? part`and t.wallet_id = v.wallet_id` : part``;
  const { rows } = await queries.query<FoundRow>(sql`
    select ${s.kind}::text as kind, ${by}::text as "by", t.account_id as "accountId", ${s.id} as id, case
        when ${s.wallet} is null or ${s.wallet} = t.account_id then null
        else (
          select w.reference from wallets w where w.account_id = t.account_id and w.wallet_id = ${s.wallet}
            and (${accountId}::uuid is null or w.account_id = ${accountId})) end as "subAccount",
      ${s.status} as status, ${s.amount} as amount, ${s.e2e} as "e2eId", ${s.reference} as reference, ${s.name} as name,
      ${s.document} as document, ${s.at} as at
    from accounts a ${over} join ${s.from} on t.account_id = a.account_id ${ofWallet}
    where (${accountId}::uuid is null or a.account_id = ${accountId})
      and (${walletId}::uuid is null or ${s.wallet} = ${walletId}) and ${where}
    order by ${order} desc limit ${literal(MOST)}`);
  return rows;
}

/**
 * Names and amounts have no index, since each settlement would pay for it: they are compared with the newest of a wallet,
 * in the order of its own index. Among 100,000 charges an amount took 28 ms and a name 92, on two busy cores.
 *
 * @returns the ways, and whether the wallet has more than what they read.
 */
async function waysNearby(
  queries: Queries,
  { accountId, walletId }: NonNullable<SearchScope>,
  { name, amount }: Question,
): Promise<{ readonly ways: readonly Way[]; readonly areAll: boolean }> {
  if (name === null && amount === null) return { ways: [], areAll: true };
  const offset = literal(MOST_COMPARED - 1);
  const { rows } = await queries.query<Record<"charge" | "withdrawal" | "paymentLink", string | null>>(sql`
    select (select charge_id from charges where account_id = ${accountId} and wallet_id = ${walletId}
        order by charge_id desc offset ${offset} limit 1) as charge,
      (select withdrawal_id from withdrawals where account_id = ${accountId} and wallet_id = ${walletId}
        order by withdrawal_id desc offset ${offset} limit 1) as withdrawal,
      (select link_id from payment_links where account_id = ${accountId} and wallet_id = ${walletId}
        order by link_id desc offset ${offset} limit 1) as "paymentLink"`);
  const oldest = rows[0]!;
  const ways = [charge, withdrawal, paymentLink].flatMap((source): Way[] => {
    const from = oldest[source.kind];
    const near = part`(${from}::uuid is null or ${source.id} >= ${from})`;
    const names = source === charge ? part`concat_ws(' ', t.counterpart_name, t.customer ->> 'name')` : source.name;
    const way = (by: FoundRow["by"], where: Fragment): Way => ({
      ...{ source, by, order: source.id },
      where: part`${where} and ${near}`,
    });
    return [
      ...(amount === null || source === paymentLink ? [] : [way("amount", part`t.amount = ${amount}`)]),
      ...(name === null ? [] : [way("name", part`strpos(${plainOf(names)}, ${plain(name)}) > 0`)]),
    ];
  });
  const named = name === null ? [] : [qrCode, project].map(withName(name));
  return { ways: [...ways, ...named], areAll: Object.values(oldest).every((from) => from === null) };
}

/** A merchant makes these by hand, so a wallet has few of them: all are compared. */
const withName =
  (name: string) =>
  (source: Source): Way => ({
    ...{ source, by: "name", order: source.id },
    where: part`strpos(${plainOf(source.name)}, ${plain(name)}) > 0`,
  });

/** The ways to answer a question, the surest first. */
function waysOf(question: Question): Way[] {
  const { text, id, e2eId, txid, document, email } = question;
  return [
    ...(id === null ? [] : waysOfId(id)),
    ...(e2eId === null ? [] : waysOfEndToEndId(e2eId)),
    ...(txid === null ? [] : waysOfTxid(txid)),
    ...(document === null ? [] : waysOfDocument(document)),
    ...(email === null ? [] : waysOfEmail(email)),
    ...waysOfAmount(question.amountOnDay),
    ...waysOfText(text),
  ];
}

const { charge, receipt, withdrawal, refund, movement, block, account, subAccount, credential, endpoint } = SOURCES;
const { paymentLink, qrCode, project } = SOURCES;

const waysOfId = (id: string): Way[] => [
  ...[charge, withdrawal, refund, block, account, subAccount, credential, endpoint, paymentLink, qrCode, project].map(
    (source): Way => ({ source, by: "id", where: part`${source.id} = ${id}` }),
  ),
  { source: movement, by: "id", where: part`t.movement_id = ${id}`, wide: "wallets" },
  { source: SOURCES.return, by: "id", where: part`t.return_id = ${id}` },
  {
    source: receipt,
    by: "id",
    where: part`t.pix_id = ${id} and t.outcome in ('unmatched', 'assigned', 'treasury')`,
  },
];

const waysOfEndToEndId = (e2eId: string): Way[] => [
  { source: receipt, by: "e2eId", where: part`t.e2e_id = ${e2eId}` },
  { source: withdrawal, by: "e2eId", where: part`t.e2e_id = ${e2eId}` },
  { source: refund, by: "e2eId", where: part`(t.e2e_id = ${e2eId} or t.rtr_id = ${e2eId})` },
  { source: block, by: "e2eId", where: part`t.e2e_id = ${e2eId}` },
  { source: SOURCES.return, by: "e2eId", where: part`t.e2e_id = ${e2eId}` },
];

/** A txid of ours names its account and charge; one of another program was stored with its receipt. */
function waysOfTxid(txid: string): Way[] {
  const ours = parseTxid(txid);
  const foreign: Way = {
    source: receipt,
    by: "txid",
    where: part`t.txid = ${txid} and t.outcome in ('unmatched', 'assigned', 'treasury')`,
  };
  if (ours === null) return [foreign];
  const byNumber = part`a.number = ${ours.accountNumber}`;
  return [
    { source: charge, by: "txid", where: part`${byNumber} and t.charge_id = ${ours.id} and t.txid = ${txid}` },
    {
      source: withdrawal,
      by: "txid",
      where: part`${byNumber} and t.withdrawal_id = ${ours.id} and t.psp_id = ${txid}`,
    },
    foreign,
  ];
}

const waysOfDocument = (document: string): Way[] => [
  { source: receipt, by: "document", where: part`t.payer_document = ${document}` },
  { source: charge, by: "document", where: part`t.customer ->> 'document' = ${document}` },
  { source: withdrawal, by: "document", where: part`t.holder_document = ${document}` },
  { source: account, by: "document", where: part`t.document = ${document} and not t.is_house` },
];

const waysOfEmail = (email: string): Way[] => [
  { source: charge, by: "email", where: part`lower(t.customer ->> 'email') = ${email}` },
  { source: withdrawal, by: "email", where: part`t.pix_key = ${email}` },
];

function waysOfAmount(amountOnDay: Question["amountOnDay"]): Way[] {
  if (amountOnDay === null) return [];
  const { amount, from, to } = amountOnDay;
  const [first, last] = [firstUuidAt(from.getTime() - ID_SLACK), firstUuidAt(to.getTime() + ID_SLACK)];
  const made = part`t.amount = ${amount} and t.created_at >= ${from} and t.created_at < ${to}`;
  return [
    { source: receipt, by: "amountOnDay", where: part`t.amount = ${amount} and t.paid_at >= ${from} and t.paid_at < ${to}` },
    { source: charge, by: "amountOnDay", where: part`${made} and t.charge_id >= ${first} and t.charge_id < ${last}` },
    { source: withdrawal, by: "amountOnDay", where: part`${made} and t.withdrawal_id >= ${first} and t.withdrawal_id < ${last}` },
  ]; // biome-ignore format: a row each
}

const waysOfText = (text: string): Way[] => [
  ...[charge, withdrawal, movement].map(
    (source): Way => ({ source, by: "reference", where: part`t.external_reference = ${text}`, wide: "wallets" }),
  ),
  ...[charge, withdrawal, refund, movement].map(
    (source): Way => ({ source, by: "idempotencyKey", where: part`t.idempotency_key = ${text}`, wide: "wallets" }),
  ),
  { source: subAccount, by: "reference", where: part`t.reference = ${text} and t.wallet_id <> t.account_id` },
  { source: credential, by: "reference", where: part`t.client_id = ${text}` },
  { source: account, by: "name", where: part`t.name ilike ${likeOf(text)} and not t.is_house` },
];

const likeOf = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`;
