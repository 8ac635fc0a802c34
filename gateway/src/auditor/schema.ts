import { Type } from "typebox";
import { AnswerPart } from "../http/contract.ts";

/** Where an invariant is broken. */
export const Place = AnswerPart("The object at which it is broken.", {
  kind: Type.String({ description: "What the object is: `charge`, `withdrawal`, `transfer`, `ledgerAccount`, ..." }),
  id: Type.String({ description: "Its id, or its number." }),
});
export const Figures = Type.Record(Type.String(), Type.Union([Type.Integer(), Type.String()]), {
  description:
    "What is there and what should be, by name: `amount`, `booked`, `due`, `status`, ... Amounts are centavos. What a name means is as in `detail`.",
});
