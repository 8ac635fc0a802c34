/** What a person is shown before a tool acts: who pays how much to whom, and what cannot be undone. */
import { formatBrl } from "../../sdk/src/index.ts";
import type { Tool } from "./catalogue.ts";

type Fields = Readonly<Record<string, unknown>>;
/** What a sentence is made of. */
type Subject = {
  /** Parameters of the path and the query. */
  readonly words: Fields;
  readonly body: Fields;
  /** What the call is about, as the API reads it now; null where there is nothing to read. */
  readonly found: Fields | null;
  /** The wallet that pays, in words. */
  readonly wallet: string;
};
type Says = (subject: Subject) => readonly string[];

/** Characters of an object that is shown as it is now; what is sent is shown whole. */
const MAX_SHOWN = 4_000;

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

/** Approving is the same for the account and for the operator. */
const approve: Says = ({ found }) => [
  `Let ${money(found?.netAmount)} leave for ${receiver(found?.snapshotPixKey, found?.snapshotPixKeyType, found?.snapshotHolderName, found?.snapshotHolderDocument)}.`,
  `The wallet pays ${money(found?.amount)}, fee included.`,
];

const SAYS: Readonly<Record<string, Says>> = {
  "withdrawals.create": ({ body, wallet }) => [
    body.netAmount === undefined
      ? `Pay ${money(body.amount)}, less the fee, from ${wallet} to ${receiver(body.pixKey, body.pixKeyType, body.holderName, body.holderDocument)}.`
      : `Pay ${money(body.netAmount)} from ${wallet}, which pays the fee on top, to ${receiver(body.pixKey, body.pixKeyType, body.holderName, body.holderDocument)}.`,
  ],
  "withdrawals.approve": approve,
  "refunds.create": ({ words, found }) => [
    `Give ${money(found?.amount)}, the whole payment ${text(words.id)}, back to its payer ${text(found?.counterpartName)}, document ${text(found?.counterpartDocument)}.`,
    "The wallet pays the refund fee on top.",
  ],
  "transfers.create": ({ body, wallet }) => [
    `Move ${money(body.amount)} from ${wallet} to ${walletOf(body.subAccount)} of the same account.`,
  ],
  "adjustments.create": ({ words, body }) => [
    `Change the ${text(body.balance)} balance of ${walletOf(body.subAccount)} of the account ${text(words.id)} by ${money(body.amount)}.`,
    `The merchant reads the reason: ${text(body.reason)}.`,
  ],
  "balanceBlocks.create": ({ words, body }) => [
    `Set ${money(body.amount)} of ${walletOf(body.subAccount)} of the account ${text(words.id)} aside (${text(body.blockType)}).`,
  ],
};

/** Tools whose answer shows a secret once. */
const SHOW_SECRET = [
  ...["webhookEndpoints.create", "webhookEndpoints.rotateSecret", "credentials.create", "credentials.rotate"],
  ...["tokens.create", "people.invite", "people.recover", "institutions.rotateNotificationPath"],
];

/** The effect of a call in sentences, followed by everything that is sent. */
export function effectOf(tool: Tool, subject: Subject): string {
  const { words, body, found } = subject;
  const says = SAYS[tool.operationId];
  const lines = [`${tool.summary} (${tool.operationId}).`, ...(says?.(subject) ?? [])];
  if (tool.final !== null) lines.push(tool.final);
  if (SHOW_SECRET.includes(tool.operationId))
    lines.push("The answer holds a secret: the agent, and whoever runs its model, can read it.");
  lines.push(`Sent: ${JSON.stringify({ ...words, ...(Object.keys(body).length === 0 ? {} : { body }) })}`);
  if (found !== null && says === undefined) lines.push(`Now: ${beginning(JSON.stringify(found))}`);
  return lines.join("\n");
}

const beginning = (json: string): string =>
  json.length > MAX_SHOWN ? `${json.slice(0, MAX_SHOWN)}… (${json.length} characters)` : json;
