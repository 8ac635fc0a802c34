/** What an operator can do: every operation of the operators' API, under names that are shorter to type. */
import { ACCOUNTS, BANKS, PEOPLE } from "./accounts.ts";
import type { Action, WithVerbs } from "./action.ts";
import { checkLog, showEntries } from "./audit-log.ts";
import { OPERATOR_ASKS } from "./confirmed.ts";
import { BOOKS, DESK } from "./desk.ts";
import { kebab, nounsOf, readDocument, type Style } from "./document.ts";

const STYLE: Style = {
  prefix: "/operator/v1",
  wholeLists: true,
  names: {
    ...{ accountId: "account", institutionId: "institution", toInstitutionId: "to", transactionId: "transaction" },
    chargeId: "charge",
    ...{ endpointId: "endpoint", eventId: "event", "?event": "event-kind", brakeId: "brake", objectId: "object" },
    ...{ proposalId: "proposal", subAccount: "wallet", subAccountAccess: "sub-accounts", blockType: "type" },
    ...{ referenceNumber: "reference", resolutionReason: "reason", occurredAt: "at", expiresInDays: "days" },
    ...{ "limits.perWithdrawal": "per-withdrawal", "limits.perDay": "per-day", "limits.perNight": "per-night" },
    ...{ "policies.latePayments": "late-payments", "policies.blockCnpjPayers": "block-cnpj" },
    ...{ "policies.unknownPayers": "unknown-payers", "policies.institutionChoice": "institution-choice" },
    ...{ "policies.uncheckedHolders": "unchecked-holders", "policies.needs": "needs" },
    ...{ "payouts.approvalAbove": "approval-above" },
  },
  // `ID` is of the noun itself; an id of another noun bears that one's name.
  wordOf: (parameter, segment, noun) => {
    if (!/^id$|Id$/.test(parameter)) return kebab(parameter);
    return segment === noun ? "id" : segment.replace(/s$/, "");
  },
};

/** The nouns in the order in which help lists them. */
const NOUNS: Readonly<Record<string, Omit<WithVerbs, "verbs">>> = {
  accounts: { description: "Open and change accounts; move money by hand." },
  "sub-accounts": { description: "Suspend a sub-account, approve it again, and limit its withdrawals." },
  credentials: { description: "Make, rotate and revoke the credentials of accounts." },
  banks: { description: "Show the banks that have an adapter, and what each can do." },
  institutions: { description: "Connect banks, test them, let accounts use them." },
  cases: { description: "Work on what a person must decide." },
  unmatched: { description: "Decide about money that belongs to no charge, and about failed returns." },
  withdrawals: { description: "See the payouts of all accounts, and cancel one that has not left." },
  "balance-blocks": {
    alias: "block",
    description: "See the disputes and orders of all accounts, block money of an account, and end a block.",
  },
  brakes: {
    description: "Stop money from leaving (payouts, refunds and automatic returns), and let it leave again.",
  },
  restore: { description: "Say whether this database is a restored copy, and end the restore." },
  queues: { description: "What waits for the gateway, and for how long." },
  treasury: { description: "Book the operator's own money at institutions." },
  ledger: { description: "See where the auditor found the books broken, and have them checked." },
  reconciliation: { description: "Compare a day of every institution with our books." },
  jobs: { description: "Work that takes long: checks of the books, comparisons of a day, exports of a person." },
  search: { alone: "find", description: "Find anything by whatever is known of it." },
  closes: { description: "Show what a day or a month comes to." },
  fees: { description: "Add up what was earned." },
  "audit-log": {
    alias: "logs",
    alone: "list",
    description: "See what operators changed, and prove that the log was not rewritten.",
  },
  people: { description: "List, invite and remove the people of the console, and let them in again." },
  persons: { description: "Export or erase what is kept about a person." },
  tokens: { description: "Make and revoke the tokens of operators." },
};

/** Verbs beside the operations, by their noun: other words for a call, and what is done with its answer. */
function otherVerbs(made: Readonly<Record<string, WithVerbs>>): Record<string, Record<string, Action>> {
  const { resolve, list } = made.unmatched!.verbs;
  const { account: _, ...filters } = made["audit-log"]!.verbs.list!.flags!;
  const resolving = (action: string, description: string, flags: Action["flags"] = {}): Action => ({
    ...resolve!,
    ...{ description, body: { action }, flags },
  });
  const { account, charge } = resolve!.flags!;
  return {
    accounts: {
      log: {
        description: "List what operators changed of an account, with what it was and is.",
        takes: ["ID"],
        flags: filters,
        call: "GET /audit-log?accountId={0}&limit=100",
        shows: showEntries,
      },
    },
    unmatched: {
      list: {
        ...list!,
        description: "List money that waits for a decision.",
        flags: { status: { description: "left out: open; all, or another status" } },
        columns: ["id", "kind", "status", "amount", "reason", "payerName", "paidAt"],
        call: (_, { status = "open" }) =>
          `/unmatched?limit=100${status === "all" ? "" : `&status=${encodeURIComponent(String(status))}`}`,
      },
      assign: resolving("assign", "Let a receipt pay a charge, by the charge's id or the merchant's reference.", {
        account: { ...account!, description: "the charge's account", needed: true },
        charge: { ...charge!, description: "the charge that it pays", neededWithout: "reference" },
        reference: {
          description: "the merchant's reference of the charge, instead of its id",
          field: "externalReference",
        },
      }),
      return: resolving("return", "Return a receipt to its payer."),
      retry: resolving("retry", "Retry a failed return; the institution is queried first."),
      "take-back": resolving(
        "take_back",
        "Take the write-off of a failed return back: its money waits for a decision again.",
      ),
    },
    "audit-log": { check: checkLog },
  };
}

/** The operator's commands, by their noun, with what is asked before one acts. */
export const OPERATOR_NOUNS: Readonly<Record<string, WithVerbs>> = operatorNouns();

function operatorNouns(): Record<string, WithVerbs> {
  const made = nounsOf(readDocument("operator"), STYLE, { ...ACCOUNTS, ...BANKS, ...DESK, ...BOOKS, ...PEOPLE });
  const others = otherVerbs(made);
  return Object.fromEntries(
    Object.entries(NOUNS).map(([name, noun]) => {
      const verbs = { ...made[name]!.verbs, ...others[name] };
      // Its actions are verbs of their own.
      if (name === "unmatched") delete verbs.resolve;
      const asking = Object.entries(verbs).map(([verb, action]) => {
        const asks = OPERATOR_ASKS[`${name} ${verb}`];
        return [verb, asks === undefined ? action : { ...action, asks }] as const;
      });
      return [name, { ...noun, verbs: Object.fromEntries(asking) }];
    }),
  );
}
