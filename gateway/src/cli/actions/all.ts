import { account, credential } from "./accounts.ts";
import type { Noun } from "./action.ts";
import { auditLog } from "./audit-log.ts";
import { close, reconcile, report, unmatched, verify } from "./books.ts";
import { block, brake, kase, ledger, subAccount, treasury, withdrawal } from "./desk.ts";
import { endpoint } from "./endpoints.ts";
import { institution } from "./institutions.ts";
import { person, token } from "./people.ts";

/** The operator's commands, by their noun, in the order in which help lists them. */
export const NOUNS: Readonly<Record<string, Noun>> = {
  ...{ account, "sub-account": subAccount, credential, institution, endpoint },
  ...{ case: kase, unmatched, withdrawal, block, brake, treasury, ledger, verify, reconcile, close, report },
  ...{ "audit-log": auditLog, person, token },
};
