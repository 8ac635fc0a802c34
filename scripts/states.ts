/**
 * Writes `docs/states.md` from the tables of edges in the code: `node scripts/states.ts`. With `--check` it writes
 * nothing and fails when the file differs. Needs no database.
 */

import "./help.ts";
import { CHARGE_EDGES, CHARGE_STATUSES, type ChargeStatus, PUBLIC_STATUS } from "../gateway/src/charges/charge.ts";
import { BLOCK_EDGES, BLOCK_STATUSES, type BlockStatus } from "../gateway/src/claims/blocks/row.ts";
import {
  PUBLIC_REFUND_STATUS,
  REFUND_EDGES,
  REFUND_STATUSES,
  type RefundStatus,
} from "../gateway/src/claims/refunds/row.ts";
import { RETURN_EDGES, RETURN_STATUSES, type ReturnStatus } from "../gateway/src/claims/returns/row.ts";
import { WITHDRAWAL_EDGES, WITHDRAWAL_STATUSES, type WithdrawalStatus } from "../gateway/src/withdrawals/withdrawal.ts";
import { writeGenerated } from "./generated-file.ts";

type Edge = { readonly from: string; readonly to: string; readonly on: string };

/**
 * A noun with a state machine. `statuses` and `edges` come from the code; the meaning of each status is written here.
 */
type Machine<S extends string> = {
  readonly title: string;
  readonly says: string;
  readonly statuses: readonly S[];
  readonly edges: readonly { readonly from: S; readonly to: S; readonly on: string }[];
  readonly meaning: Readonly<Record<S, string>>;
  /** The status as the API shows it. */
  readonly shown: (status: S) => string;
  readonly shownTitle: string;
};

/** Statuses that no read returns, so that a refused intent is never shown. */
const HIDDEN: readonly ChargeStatus[] = ["creating", "rejected"];

const CHARGE: Machine<ChargeStatus> = {
  title: "Charges",
  says: "The status of a row of `charges`. The API shows four; the middle column says which one `GET /transactions/{id}` shows.",
  statuses: CHARGE_STATUSES,
  edges: CHARGE_EDGES,
  meaning: {
    creating: "The intent is stored; what the institution did with it is not known yet.",
    rejected: "No institution accepted it. If it is paid nevertheless, the payment settles it.",
    pending: "It can be paid.",
    completed: "It was paid and credited.",
    expired:
      "It was due, and unpaid at the institution. A late payment still settles it, by the policy `latePayments`.",
    cancelled: "The merchant cancelled it. If it was paid nevertheless, the payment settles it like a late one.",
    failed: "It was paid, and a policy blocked the deposit: nothing was credited, and the money goes back.",
  },
  shown: (status) => (HIDDEN.includes(status) ? "not shown" : `\`${PUBLIC_STATUS[status]}\``),
  shownTitle: "shown as",
};

const RETURN: Machine<ReturnStatus> = {
  title: "Returns",
  says: "The status of a row of `pix_returns`: money of a blocked deposit, of a second payment or of a refund, on its way back to the payer. `blockedDeposit.refund.status` of a transaction is the status of a deposit's return.",
  statuses: RETURN_STATUSES,
  edges: RETURN_EDGES,
  meaning: {
    pending: "Nothing has been sent.",
    sending: "A request may have left, or the institution works on it. Every call about it has the same id.",
    confirmed: "The institution has given the money back.",
    failed:
      "The institution did not carry it out, or returned the Pix by itself. A deposit's money stays in `returns` for the operator; a refund's is available again, unless it pays the return that the institution made, or a dispute's block holds it again.",
  },
  shown: (status) => (status === "confirmed" || status === "failed" ? `\`${status}\`` : "`pending`"),
  shownTitle: "shown as",
};

const WITHDRAWAL: Machine<WithdrawalStatus> = {
  title: "Withdrawals",
  says: "The status of a row of `withdrawals`. `GET /withdrawals/{id}` shows this status. `GET /transactions/{id}` shows it as `withdrawalStatus`; its own `status` is that of the middle column.",
  statuses: WITHDRAWAL_STATUSES,
  edges: WITHDRAWAL_EDGES,
  meaning: {
    pending: "Its money is held; nothing has been sent.",
    processing:
      "A request may have left, or the institution works on it. Every call about it has the same id, and its money stays held until the institution has reported how it ended.",
    completed: "The institution has paid it: the money has left, and the fee is taken.",
    failed: "The institution has not paid it: the whole amount is available again.",
    reversed: "It was paid, and all that the receiver got has come back. The fee came back too.",
  },
  shown: (status) =>
    `\`${status === "failed" ? "failed" : status === "pending" || status === "processing" ? "pending" : "completed"}\``,
  shownTitle: "transaction shown as",
};

const REFUND: Machine<RefundStatus> = {
  title: "Refunds",
  says: "The status of a row of `refunds`, which ends in the same moment as its return.",
  statuses: REFUND_STATUSES,
  edges: REFUND_EDGES,
  meaning: {
    pending: "Amount and fee are held, and the return is under way.",
    confirmed: "The payer has the money back; amount and fee have left.",
    error:
      "It was not carried out. Its money is available again, unless it pays a return that the institution made, or a dispute's block holds it again. Another refund may be asked for.",
  },
  shown: (status) => `\`${PUBLIC_REFUND_STATUS[status]}\``,
  shownTitle: "shown as",
};

const BLOCK: Machine<BlockStatus> = {
  title: "Balance blocks",
  says: "The status of a row of `balance_blocks`.",
  statuses: BLOCK_STATUSES,
  edges: BLOCK_EDGES,
  meaning: {
    awaiting_response: "The amount is held; a defence may be sent.",
    defended: "The amount is held; a defence was sent.",
    approved: "The dispute was lost, or the order was executed: what is held goes to the payer, or as the order says.",
    rejected: "What was held is available again, or a refund took it over.",
  },
  shown: (status) => `\`${status}\``,
  shownTitle: "shown as",
};

/** The document. Throws where a table of edges is incomplete. */
function statesDocument(): string {
  return `${[
    "# States",
    "",
    "Every possible change of status, from the tables in the code. `node scripts/states.ts` writes this page; `npm test` fails",
    "when it is out of date. Tests with random commands search for a change that is not in them.",
    "",
    ...section(CHARGE),
    "",
    ...section(RETURN),
    "",
    ...section(WITHDRAWAL),
    "",
    ...section(REFUND),
    "",
    ...section(BLOCK),
  ].join("\n")}\n`;
}

function section<S extends string>(machine: Machine<S>): string[] {
  const { title, says, statuses, edges, meaning, shown, shownTitle } = machine;
  const first = statuses[0]!;
  for (const status of statuses) {
    if (!edges.some((edge) => edge.from === status || edge.to === status)) {
      throw new Error(`${title}: nothing leads to ${status} or away from it`);
    }
  }
  const isFinal = (status: S) => !edges.some((edge) => edge.from === status);
  return [
    `## ${title}`,
    "",
    says,
    "",
    ...diagram(first, edges, statuses.filter(isFinal)),
    "",
    `| status | ${shownTitle} | what it means |`,
    "|---|---|---|",
    ...statuses.map(
      (status) => `| \`${status}\` | ${shown(status)} | ${meaning[status]}${isFinal(status) ? " Final." : ""} |`,
    ),
    "",
    "| from | to | when |",
    "|---|---|---|",
    ...edges.map(({ from, to, on }) => `| \`${from}\` | \`${to}\` | ${on} |`),
  ];
}

function diagram(first: string, edges: readonly Edge[], last: readonly string[]): string[] {
  for (const { on } of edges) {
    // Mermaid ends a label at these characters.
    if (/[:;\n|]/.test(on)) throw new Error(`the label "${on}" does not fit into a diagram`);
  }
  return [
    "```mermaid",
    "stateDiagram-v2",
    `  [*] --> ${first}`,
    ...edges.map(({ from, to, on }) => `  ${from} --> ${to}: ${on}`),
    ...last.map((status) => `  ${status} --> [*]`),
    "```",
  ];
}

if (import.meta.main)
  writeGenerated("docs/states.md", statesDocument(), "the tables of edges", "node scripts/states.ts");
