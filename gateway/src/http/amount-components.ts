import { type Static, Type } from "typebox";
import type { Components } from "../lib/due.ts";
import { toBrl } from "../lib/money.ts";
import { AnswerObject } from "./contract.ts";

export const AmountComponents = AnswerObject(
  "AmountComponents",
  "How an amount came about: original + fine + interest − discount − abatement.",
  {
    original: Type.Number({ description: "What was asked, BRL." }),
    fine: Type.Number({ description: "Added as a fine, BRL." }),
    interest: Type.Number({ description: "Added as interest, BRL." }),
    discount: Type.Number({ description: "Taken off as a discount, BRL." }),
    abatement: Type.Number({ description: "Taken off as an abatement, BRL." }),
  },
);

/** The parts of an amount, as answers show them. */
export const showComponents = (parts: Components): Static<typeof AmountComponents> => ({
  original: toBrl(parts.original),
  fine: toBrl(parts.fine),
  interest: toBrl(parts.interest),
  discount: toBrl(parts.discount),
  abatement: toBrl(parts.abatement),
});
