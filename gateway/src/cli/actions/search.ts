import type { Action, WithVerbs } from "./action.ts";

const EXAMPLES =
  "an id, end-to-end id, txid, CPF, CNPJ, e-mail address, reference, idempotency key, or '150,00 2026-11-20'";

/** What the document lacks about the merchants' `search.find`: the text is a word, not a flag. */
export const findInWallet: Partial<Action> = {
  description: `Find a payment, withdrawal or refund of the wallet by ${EXAMPLES}.`,
  takes: ["TEXT"],
  columns: ["kind", "by", "id", "status", "amount", "at", "e2eId", "reference", "name", "document"],
};

/** `GET /operator/v1/search`. */
export const search: WithVerbs = {
  description: "Find anything by whatever is known of it.",
  alone: "find",
  verbs: {
    find: {
      description: `Find anything of any account by ${EXAMPLES}.`,
      takes: ["TEXT"],
      columns: ["kind", "by", "id", "accountId", "status", "amount", "at", "e2eId", "reference", "name", "document"],
      call: "GET /search?q={0}",
    },
  },
};
