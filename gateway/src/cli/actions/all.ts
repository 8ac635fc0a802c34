import type { Action, Noun } from "./action.ts";
import { merchantNouns } from "./merchant.ts";
import { OPERATOR_NOUNS } from "./operator.ts";

type Nouns = Readonly<Record<string, Noun>>;

/** Words that are commands by themselves, for what operators type every day. */
const ALONE: Readonly<Record<string, Action>> = {
  verify: OPERATOR_NOUNS.ledger!.verbs.verify!,
  reconcile: OPERATOR_NOUNS.reconciliation!.verbs.refresh!,
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
