import { Type } from "typebox";
import { FreeObject } from "../../http/contract.ts";

/** Fields that the data of several events have. More may be added later; receivers ignore unknown fields. */

export const uuid = (description: string) => Type.String({ format: "uuid", description });
export const time = (description: string) => Type.String({ format: "date-time", description });
export const text = (description: string) => Type.String({ description });
export const brl = (description: string) => Type.Number({ minimum: 0, description: `${description}, BRL.` });
export const is = <T extends string | number>(value: T, description: string) => Type.Literal(value, { description });

export const common = {
  environment: Type.Enum(["production", "sandbox"], { type: "string", description: "Of the institution." }),
  currency: is("BRL", "Currency code."),
};
export const reference = { externalReference: Type.Optional(text("As in the request.")) };
export const metadata = {
  metadata: Type.Optional(FreeObject({ description: "As in the request." })),
};
export const endToEnd = { e2eId: Type.Optional(text("PIX end-to-end id, 32 characters.")) };
export const counterpart = (who: string) => ({
  counterpartName: Type.Optional(text(`Name of the ${who}, as the PSP reports it.`)),
  counterpartDocument: Type.Optional(text(`CPF or CNPJ of the ${who}, unmasked.`)),
});
