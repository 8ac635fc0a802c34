import { Type } from "typebox";

/** Where an invariant is broken. */
export const Place = Type.Object(
  {
    kind: Type.String({ description: "What the object is: `charge`, `withdrawal`, `transfer`, `ledgerAccount`, ..." }),
    id: Type.String({ description: "Its id, or its number." }),
  },
  { description: "The object at which it is broken." },
);
export const Figures = Type.Record(Type.String(), Type.Union([Type.Integer(), Type.String()]), {
  description:
    "What is there and what should be, by name: `amount`, `booked`, `due`, `status`, ... Amounts are centavos. What a name means is as in `detail`.",
});
