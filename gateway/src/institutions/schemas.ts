/** Institutions in the operator API. */
import { Type } from "typebox";
import { AnswerObject, Name, OPEN, OrNull, RequestObject, ref } from "../http/contract.ts";
import { pageOf } from "../http/pages.ts";
import { BANKS, type Provider } from "../psp/catalogue.ts";
import { able } from "./abilities.ts";
import { InstitutionConfig } from "./config.ts";

const shared = {
  name: Name({ maxLength: 255, description: "Display name." }),
  priority: Type.Integer({ minimum: 0, maximum: 1_000_000, description: "Lowest first; an account may have its own." }),
  share: Type.Integer({
    minimum: 0,
    maximum: 100,
    description:
      "Its part of what institutions of the same priority share: with 70 and 30 the first is tried first by 70 % of the charges and withdrawals, chosen by their ids. Left out or 0: none, it comes after those that have one.",
  }),
  capacityPerSecond: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description:
      "Charges a second that are sent there; left out: no limit but the bank's own, where one is known (`perMinute`, `perSecond`).",
  }),
};
const CNPJ = Type.String({
  pattern: "^[0-9A-Z]{12}[0-9]{2}$",
  description: "CNPJ of the bank or PSP, which its customers' invoices name (`fiscal` of a payment).",
});
const provider = (options: object = {}) =>
  Type.Enum(
    BANKS.map(({ id }) => id as Provider),
    {
      ...options,
      type: "string",
      description: `${BANKS.map(({ id, summary }) => `\`${id}\`: ${summary}`).join("; ")}.`,
    },
  );
const ENVIRONMENT = Type.Enum(["sandbox", "production"], {
  description: "What the events of its money say; in `production` the `/sandbox` calls answer 404.",
});

export const InstitutionRequest = RequestObject("InstitutionRequest", "A way to a bank or PSP.", {
  name: shared.name,
  provider: provider(),
  environment: ENVIRONMENT,
  priority: Type.Optional({ ...shared.priority, default: 100 }),
  share: Type.Optional(shared.share),
  capacityPerSecond: Type.Optional(shared.capacityPerSecond),
  cnpj: Type.Optional(CNPJ),
  config: ref(InstitutionConfig),
});

export const InstitutionPatch = RequestObject(
  "InstitutionPatch",
  "What may be changed. Of `config` only the fields that are sent change.",
  {
    name: Type.Optional(shared.name),
    status: Type.Optional(
      Type.Enum(["active", "inactive", "retired"], {
        description:
          "Inactive: it is drained. No new charge or withdrawal goes there; what is open there is finished, polled and reconciled. Retired: it is neither polled nor reconciled; only one where nothing is open, and which holds nothing by the books.",
      }),
    ),
    priority: Type.Optional(shared.priority),
    share: Type.Optional(OrNull(shared.share, "As at creation; null: none.")),
    capacityPerSecond: Type.Optional(OrNull(shared.capacityPerSecond, "As at creation; null: no limit of our own.")),
    cnpj: Type.Optional(OrNull(CNPJ, "As at creation; null: not known.")),
    config: Type.Optional(ref(InstitutionConfig)),
  },
);

const Failure = Type.Object({
  at: Type.String({ format: "date-time", description: "When the call ended." }),
  reason: Type.String({
    description:
      "Why, by a short code: `timeout`; `http_` and a status of 500 or more; the code of an error of the connection, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`. With `token_` before it the call for an access token failed.",
  }),
});

export const OperatorInstitution = AnswerObject("OperatorInstitution", "A way to a bank or PSP.", {
  id: Type.String({ format: "uuid", description: "Id of the institution." }),
  name: Type.String({ description: "Display name." }),
  provider: provider(OPEN),
  environment: ENVIRONMENT,
  status: Type.Enum(["active", "inactive", "retired"], { description: "Whether it is used." }),
  priority: Type.Integer({ description: "Lowest first." }),
  share: OrNull(Type.Integer(), "Its part of what institutions of the same priority share; null: none."),
  capacityPerSecond: OrNull(Type.Integer(), "Charges a second; null: no limit of our own."),
  cnpj: OrNull(Type.String(), "CNPJ of the bank or PSP; null: not known."),
  health: Type.Enum(["up", "down", "trying"], {
    ...OPEN,
    description: "Whether it accepts charges, as the process that answers knows it.",
  }),
  healthSince: Type.String({ format: "date-time", description: "Since when." }),
  lastFailure: Type.Optional(
    OrNull(Failure, "The last call without a useful answer, as the process that answers knows it; null: none."),
  ),
  certificateExpiresAt: OrNull(
    Type.String({ format: "date-time" }),
    "End of the client certificate; null without one.",
  ),
  config: Type.Unsafe<Record<string, unknown>>({
    type: "object",
    additionalProperties: true,
    description: "The configuration without its secrets; `secretsSet` names those that are set.",
  }),
  capabilities: Type.Optional(able.capabilities),
  unverified: Type.Optional(able.unverified),
  createdAt: Type.String({ format: "date-time", description: "When it was created." }),
  updatedAt: Type.String({ format: "date-time", description: "When it last changed." }),
});

export const InstitutionList = pageOf(
  OperatorInstitution,
  "A page of the institutions of this installation.",
  "InstitutionList",
);

export const InstitutionLink = RequestObject("InstitutionLink", "Whether and when an account uses an institution.", {
  enabled: Type.Boolean({ description: "Whether the account may use it." }),
  priority: Type.Optional(OrNull(shared.priority, "For this account; null: the institution's own.")),
});
