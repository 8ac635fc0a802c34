import { type Static, Type } from "typebox";
import { AnswerObject, OPEN, ref } from "../http/contract.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import type { Bank } from "../psp/bank.ts";
import { BANKS } from "../psp/catalogue.ts";
import { able, showAbilities } from "./abilities.ts";
import { GUARD } from "./config.ts";

const Words = AnswerObject("BankWords", "A text for people, in the languages of the console.", {
  en: Type.String({ description: "In English." }),
  pt: Type.String({ description: "In Portuguese." }),
});
const FormField = AnswerObject("BankFormField", "What a person fills in to add an institution of a bank.", {
  setting: Type.String({ description: "The setting of `config` that it fills in." }),
  kind: Type.Enum(["text", "email", "secret", "number", "yes_no", "file", "file_base64"], {
    ...OPEN,
    type: "string",
    description: "What is entered. `file`: the text of a file. `file_base64`: its bytes in base64.",
  }),
  required: Type.Boolean({ description: "Whether it must be filled in." }),
  label: ref(Words),
  help: Type.Optional(ref(Words)),
  entry: Type.Optional(
    Type.String({ description: "Of a setting with texts by name: the name of the one that it fills in." }),
  ),
  accept: Type.Optional(Type.String({ description: "Of a file: the ends of its name, such as `.pem,.key`." })),
});
const Profile = AnswerObject(
  "BankProfile",
  "A bank whose addresses and habits are known, so that `config` need not say them.",
  {
    profile: Type.String({ description: "Value of `config.profile`." }),
    name: Type.String({ description: "Its name for people." }),
    sandbox: Type.Boolean({ description: "Whether `profile` with `-sandbox` is the bank's sandbox." }),
    scope: Type.Optional(
      Type.String({
        description: "Every scope that is used there, where `config.scope` chooses some; `capabilities` need all.",
      }),
    ),
    ...able,
  },
);
const Entry = AnswerObject("Bank", "A bank or PSP for which this version has an adapter.", {
  id: Type.String({ description: "Value of an institution's `provider`." }),
  name: Type.String({ description: "Its name for people." }),
  summary: Type.String({ description: "What it is and what it can do." }),
  simulated: Type.Boolean({ description: "It moves no real money, so production refuses it." }),
  ...able,
  settings: Type.Unsafe<Record<string, unknown>>({
    type: "object",
    additionalProperties: true,
    description:
      "JSON Schema of what an institution's `config` takes. A field with `writeOnly` is sealed and never shown.",
  }),
  form: Type.Array(ref(FormField), {
    description: "The settings that a person is asked for, in this order; the others have defaults that do.",
  }),
  paysWith: Type.Array(Type.String(), {
    description: "Settings with which it pays out, where `capabilities` without them have no payouts; empty: none.",
  }),
  notified: Type.Optional(ref(Words)),
  profiles: Type.Array(ref(Profile), {
    description: "Banks that it knows by name, each with what is known of it; empty: it is one bank.",
  }),
});
const BankList = AnswerObject("BankList", "The banks that an institution may be of.", {
  items: Type.Array(ref(Entry), { description: "All of them." }),
});

function toEntry(bank: Bank): Static<typeof Entry> {
  const { id, name, summary, simulated, settings, form, notified, paysWith = {}, profiles = [] } = bank;
  return {
    ...{ id, name, summary, simulated },
    ...showAbilities(bank.capabilities({})),
    settings: { ...settings, properties: { ...settings.properties, ...GUARD } },
    form: form.map((field) => ({ ...field })),
    paysWith: Object.keys(paysWith),
    ...(notified && { notified }),
    profiles: profiles.map((known) => ({ ...known, ...showAbilities(bank.capabilities(known)) })),
  };
}

/** `/banks`: what an institution may be. */
export function bankRoutes(route: OperatorRoutes): void {
  const answer = { items: BANKS.map(toEntry) };
  route({
    method: "GET",
    path: "/banks",
    operationId: "banks.list",
    summary: "List the banks that have an adapter",
    description: "What each can do, what its institutions take in `config`, and what nobody has confirmed.",
    role: "support",
    work: "none",
    answer: ref(BankList),
    handle: () => Promise.resolve(answer),
  });
}
