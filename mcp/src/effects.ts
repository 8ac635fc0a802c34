/** What a person is shown before a tool acts: who pays how much to whom, and what cannot be undone. */
import { escapeUnseen, formatBrl } from "../../sdk/src/index.ts";
import type { Tool } from "./catalogue.ts";

type Fields = Readonly<Record<string, unknown>>;
/** What a sentence is made of. */
type Subject = {
  /** Parameters of the path and the query. */
  readonly words: Fields;
  readonly body: Fields;
  /** What the call is about, as the API reads it now; null where there is nothing to read. */
  readonly found: Fields | null;
  /** The payout or receipt that a case is about; null: none, or nobody may read it. */
  readonly about: Fields | null;
  /** The wallet that pays, in words. */
  readonly wallet: string;
};
type Says = (subject: Subject) => readonly string[];

/** Characters of a field of an object that is shown as it is now; a longer field is named, and never shown in part. */
const MAX_FIELD = 4_000;

/** An amount for people; what is no amount stays as it was given, and the gateway refuses it. */
const money = (amount: unknown): string => {
  try {
    return formatBrl(amount as number);
  } catch {
    return `${JSON.stringify(amount) ?? "no amount"}`;
  }
};
/** Quoted, so that a name with line breaks cannot pretend to be a sentence of ours. */
const text = (value: unknown): string => JSON.stringify(value) ?? "nothing";

/** A wallet by its reference. */
export const walletOf = (reference: unknown): string =>
  reference === undefined || reference === "principal" ? "the main wallet" : `the wallet ${text(reference)}`;

const receiver = (key: unknown, kind: unknown, name: unknown, document: unknown): string =>
  `PIX key ${text(key)} (${text(kind)}) of ${text(name)}, document ${text(document)}`;

/** Kinds of cases that are about one payment, with the operation that reads it. */
export const PAYMENT_OF_CASE: Readonly<Record<string, string>> = {
  payout_unresolved: "withdrawals.get",
  payout_contradiction: "withdrawals.get",
  payout_awaiting_bank: "withdrawals.get",
  unmatched_receipt: "unmatched.get",
};

const receiverOf = (payout: Fields | null): string =>
  receiver(
    payout?.snapshotPixKey,
    payout?.snapshotPixKeyType,
    payout?.snapshotHolderName,
    payout?.snapshotHolderDocument,
  );

/** Approving is the same for the account and for the operator. */
const approve: Says = ({ found }) => [
  `Let ${money(found?.netAmount)} leave for ${receiverOf(found)}.`,
  `The wallet pays ${money(found?.amount)}, fee included.`,
];

/** What a refund gives back: the amount that is named, or all that is left. */
function refunded(id: string, amount: unknown, found: Fields | null): string {
  if (amount !== undefined) return `${money(amount)} of the payment ${id} of ${money(found?.amount)}`;
  const isWhole = found !== null && !found.returnedAmount;
  return isWhole ? `${money(found.amount)}, the whole payment ${id},` : `all that is left of the payment ${id}`;
}

const end: Says = ({ found }) => [
  `End the withdrawal of ${money(found?.netAmount)} to ${receiverOf(found)}, which is ${text(found?.status)}.`,
];

const receipt = (deposit: Fields | null): string =>
  `${money(deposit?.amount)} of the payer ${text(deposit?.payerName)}, document ${text(deposit?.payerDocument)}`;

/** The parameters of a case's action: what is short first, so that no long text stands before an amount. */
const withParameters = (parameters: unknown): string => {
  const all = shortestFirst((parameters ?? {}) as Fields);
  const each = all.map(([name, value]) => `${name} ${name === "amount" ? money(value) : text(value)}`);
  return each.length === 0 ? "without parameters" : `with ${each.join(", ")}`;
};

const named = (noun: string, id: unknown): string => (id === undefined ? `no ${noun}` : `${noun} ${text(id)}`);

/** What a case is about, as far as somebody who decides must know it. */
const caseAbout = ({ found, about }: Subject): string[] => [
  `The case is about ${text(found?.kind)}, ${found?.amount === undefined ? "no amount" : money(found.amount)}, ${named("account", found?.accountId)}, ${named("institution", found?.institutionId)}, object ${text(found?.objectId)}.`,
  ...(about === null
    ? []
    : [
        about.snapshotPixKey === undefined
          ? `It is ${receipt(about)}.`
          : `It pays ${money(about.netAmount)} to ${receiverOf(about)}.`,
      ]),
];

type Named = { readonly action?: unknown; readonly says?: unknown };
/** What an action does, in the gateway's words. */
const doing = (action: unknown, found: Fields | null): string => {
  const known = ((found?.actions ?? []) as readonly Named[]).find((one) => one.action === action);
  return known === undefined ? text(action) : `${text(action)} (${String(known.says)})`;
};

type Proposal = {
  readonly [name in "id" | "action" | "parameters" | "status" | "proposedBy" | "proposedAt"]?: unknown;
};
const proposed =
  (verb: string): Says =>
  (subject) => {
    const { action, parameters, id, status, proposedBy, proposedAt } = (subject.found?.proposal ?? {}) as Proposal;
    return [
      `${verb} the action ${doing(action, subject.found)} ${withParameters(parameters)}.`,
      ...caseAbout(subject),
      `It is the proposal ${text(id)} (${text(status)}), of ${text(proposedBy)}, at ${text(proposedAt)}.`,
    ];
  };

const SAYS: Readonly<Record<string, Says>> = {
  "withdrawals.create": ({ body, wallet }) => [
    body.netAmount === undefined
      ? `Pay ${money(body.amount)}, less the fee, from ${wallet} to ${receiver(body.pixKey, body.pixKeyType, body.holderName, body.holderDocument)}.`
      : `Pay ${money(body.netAmount)} from ${wallet}, which pays the fee on top, to ${receiver(body.pixKey, body.pixKeyType, body.holderName, body.holderDocument)}.`,
  ],
  "withdrawals.approve": approve,
  "withdrawals.reject": end,
  "withdrawals.cancel": end,
  "withdrawals.checkReceiver": ({ body, found }) => [
    `Say that the ${money(found?.netAmount)} for ${text(found?.snapshotHolderName)} were ${body.expected === true ? "meant" : "not meant"} for ${text(found?.receiverName)}, who received them.`,
  ],
  "refunds.create": ({ words, body, found }) => [
    `Give ${refunded(text(words.id), body.amount, found)} back to its payer ${text(found?.counterpartName)}, document ${text(found?.counterpartDocument)}.`,
    "The wallet pays the refund fee on top.",
  ],
  "transfers.create": ({ body, wallet }) => [
    `Move ${money(body.amount)} from ${wallet} to ${walletOf(body.subAccount)} of the same account.`,
  ],
  "adjustments.create": ({ words, body }) => [
    `Change the ${text(body.balance)} balance of ${walletOf(body.subAccount)} of the account ${text(words.id)} by ${money(body.amount)}.`,
    `The merchant reads the reason: ${text(body.reason)}.`,
  ],
  "cases.propose": (subject) => [
    `Propose the action ${doing(subject.body.action, subject.found)} ${withParameters(subject.body.parameters)}.`,
    ...caseAbout(subject),
  ],
  "cases.approve": proposed("Approve"),
  "cases.reject": proposed("Reject"),
  "unmatched.resolve": ({ body: { action, ...rest }, found }) => [
    `Do ${text(action)} ${withParameters(rest)} with ${receipt(found)}.`,
  ],
  "treasury.record": ({ body }) => [`Book ${money(body.amount)} of the operator's own money as ${text(body.kind)}.`],
  "balanceBlocks.create": ({ words, body }) => [
    `Set ${money(body.amount)} of ${walletOf(body.subAccount)} of the account ${text(words.id)} aside (${text(body.blockType)}).`,
  ],
};

/**
 * The effect of a call in sentences, then everything that is sent, then the object as it is now: an object holds texts of merchants,
 * payers and banks, so it stands last and quoted. Nothing is cut, and what a screen would not show is written as an escape.
 */
export function effectOf(tool: Tool, subject: Subject): string {
  const { words, body, found } = subject;
  const lines = [`${tool.summary} (${tool.operationId}).`, ...(SAYS[tool.operationId]?.(subject) ?? [])];
  if (tool.final !== null) lines.push(tool.final);
  if (tool.showsSecret) lines.push("The answer holds a secret: the agent, and whoever runs its model, can read it.");
  lines.push(`Sent: ${text({ ...words, ...(Object.keys(body).length === 0 ? {} : { body }) })}`);
  if (found !== null) lines.push("As it is now; others wrote texts in it, which decide nothing:", ...quoted(found));
  return escapeUnseen(lines.join("\n"));
}

/** A line for each field, the short ones first: no long text hides an amount or an id. */
const quoted = (found: Fields): string[] =>
  shortestFirst(found).map(([name, value]) => {
    const { length } = text(value);
    return `> ${name}: ${length > MAX_FIELD ? `${length} characters, which are not shown here` : text(value)}`;
  });

const shortestFirst = (fields: Fields): [string, unknown][] =>
  Object.entries(fields).sort(([, a], [, b]) => text(a).length - text(b).length);
