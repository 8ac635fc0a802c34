import { accounts, credentials } from "./accounts.ts";
import type { Action, Noun, WithVerbs } from "./action.ts";
import { auditLog } from "./audit-log.ts";
import { closes, fees, jobs, reconcile, reconciliation, unmatched } from "./books.ts";
import { OPERATOR_ASKS } from "./confirmed.ts";
import { balanceBlocks, brakes, cases, ledger, queues, subAccounts, treasury, withdrawals } from "./desk.ts";
import { banks, institutions } from "./institutions.ts";
import { merchantNouns } from "./merchant.ts";
import { people, persons, tokens } from "./people.ts";
import { restore } from "./restore.ts";
import { search } from "./search.ts";

type Nouns = Readonly<Record<string, Noun>>;

/** Adds the questions that are asked before a command acts. */
const asking = (nouns: Readonly<Record<string, WithVerbs>>): Record<string, WithVerbs> =>
  Object.fromEntries(
    Object.entries(nouns).map(([name, noun]) => {
      const verbs = Object.entries(noun.verbs).map(([verb, action]) => {
        const asks = OPERATOR_ASKS[`${name} ${verb}`];
        return [verb, asks === undefined ? action : { ...action, asks }] as const;
      });
      return [name, { ...noun, verbs: Object.fromEntries(verbs) }];
    }),
  );

/** The operator's commands, by their noun, in the order in which help lists them. */
export const OPERATOR_NOUNS: Readonly<Record<string, WithVerbs>> = asking({
  ...{ accounts, "sub-accounts": subAccounts, credentials, banks, institutions },
  ...{
    cases,
    unmatched,
    withdrawals,
    "balance-blocks": balanceBlocks,
    brakes,
    restore,
    queues,
    treasury,
    ledger,
    reconciliation,
    jobs,
  },
  search,
  ...{ closes, fees, "audit-log": auditLog, people, persons, tokens },
});
/** Words that are commands by themselves, for what operators type every day. */
const ALONE: Readonly<Record<string, Action>> = {
  verify: ledger.verbs.verify!,
  reconcile,
};

/**
 * Every noun of both APIs under its name there. A noun of both has the verbs of both; where both have the verb, it is the
 * merchant's action with the operator's inside.
 */
export function allNouns(): { readonly merchant: Nouns; readonly operator: Nouns } {
  const { account, ...others } = merchantNouns();
  // `account get` is the account of the credential, `accounts get ID` any account of the installation.
  const merchant: Record<string, Noun> = { accounts: account!, ...others };
  const operator: Record<string, Noun> = { ...OPERATOR_NOUNS, ...ALONE };
  for (const [name, noun] of Object.entries(OPERATOR_NOUNS)) {
    const theirs = merchant[name];
    if (theirs === undefined || !("verbs" in theirs)) continue;
    const verbs: Record<string, Action> = { ...theirs.verbs };
    for (const [verb, action] of Object.entries(noun.verbs)) {
      const same = verbs[verb];
      const alias = action.alias === undefined ? {} : { alias: action.alias };
      verbs[verb] = same === undefined ? action : { ...same, ...alias, operator: action };
    }
    merchant[name] = {
      ...theirs,
      ...(noun.alias === undefined ? {} : { alias: noun.alias }),
      ...(noun.alone === undefined ? {} : { alone: noun.alone }),
      verbs,
    };
    delete operator[name];
  }
  return { merchant, operator };
}
