import { type Static, Type } from "typebox";
import { instant, nullable, table, text, uuid } from "../../db/columns.ts";
import { AnswerObject, OrNull, RequestObject, ref, Words } from "../../http/contract.ts";
import { invalid } from "../../http/errors.ts";
import { isCnpj } from "../../lib/documents.ts";
import { present } from "../../lib/present.ts";
import { ACCESS_KEY, isAccessKey, numberOfKey } from "./access-key.ts";

const fields = {
  key: Type.String({
    pattern: ACCESS_KEY,
    description:
      "Access key of an NF-e, NFC-e or another document of that family: 44 characters without spaces. Its check digit is compared.",
    examples: ["41191111812498000103650050000010451515607994"],
  }),
  number: Words({ maxLength: 60, description: "Number of the invoice." }),
};

const InvoiceRequest = RequestObject(
  "InvoiceRequest",
  "The invoice of a payment. Several payments may name the same one: an invoice can be paid in parts.",
  {
    key: Type.Optional(fields.key),
    number: Type.Optional({
      ...fields.number,
      description: "Number of the invoice. Needed without a `key`; with one it is in the key, and must agree.",
    }),
  },
);

export const TransactionPatch = RequestObject("TransactionPatch", "What may be changed of a payment.", {
  invoice: OrNull(ref(InvoiceRequest), "Replaces the invoice that the payment has; null takes it away."),
});

export const Invoice = AnswerObject(
  "Invoice",
  "Extension. The invoice of a completed payment, as `PATCH /transactions/{id}` recorded it. It does not change `updatedAt`.",
  {
    key: Type.Optional(fields.key),
    number: Type.String({ description: "Number of the invoice." }),
    recordedAt: Type.String({ format: "date-time", description: "When it was recorded." }),
  },
);

/** Names of the NF-e's layout, so that a program copies them without a dictionary. */
export const FiscalFields = AnswerObject(
  "FiscalFields",
  "Extension. What an invoice says of its payment, by the names of the NF-e's layout; `cAut` is `e2eId`, and `vPag` is `amount`. Only of a completed payment.",
  {
    tPag: Type.String({
      description: "Means of payment: `17` is a dynamic Pix, `20` a static one (`qrCodeId`). An open list.",
    }),
    CNPJ: Type.Optional(
      Type.String({
        description: "CNPJ of the institution that received the payment; left out where its operator entered none.",
      }),
    ),
    CNPJReceb: Type.Optional(
      Type.String({ description: "CNPJ of the account that received it; left out where the account has none." }),
    ),
  },
);
export type FiscalFields = Static<typeof FiscalFields>;

/** Invoices of payments, by the payment. */
export const invoices = table({
  name: "invoices",
  key: ["accountId", "chargeId"],
  columns: { accountId: uuid, chargeId: uuid, accessKey: nullable(text), number: text, recordedAt: instant },
});

/** The key and number that a request means. Refuses a wrong key, and a number that is another one's. */
export function readInvoice({ key, number }: Static<typeof InvoiceRequest>): {
  readonly key: string | null;
  readonly number: string;
} {
  if (key === undefined) {
    if (number === undefined) throw invalid("invoice.number", "is needed without a key");
    return { key: null, number };
  }
  if (!isAccessKey(key)) throw invalid("invoice.key", "has a wrong check digit or month");
  const own = numberOfKey(key);
  if (number !== undefined && number.replace(/^0+(?=.)/, "") !== own) {
    throw invalid("invoice.number", `is not the number in the key, ${own}`);
  }
  return { key, number: own };
}

/** As the view `transactions` has an invoice. */
export type InvoiceShown = { readonly key: string | null; readonly number: string; readonly recordedAt: string };

export const toInvoice = ({ key, number, recordedAt }: InvoiceShown): Static<typeof Invoice> =>
  present({ key, number, recordedAt: new Date(recordedAt).toISOString() });

/** What is known of a completed payment for its invoice. */
type Fiscal = {
  readonly isStatic: boolean;
  /** CPF or CNPJ of the account. */
  readonly receiver: string | null;
  readonly institution: string | null;
};

/** The layout has places for a CNPJ only. */
export const fiscalFields = ({ isStatic, receiver, institution }: Fiscal): FiscalFields =>
  present({
    tPag: isStatic ? "20" : "17",
    CNPJ: institution,
    CNPJReceb: receiver !== null && isCnpj(receiver) ? receiver : null,
  });
