import { CALLBACK_FAULTS, PLACES, REQUEST_FAULTS, ROUTES } from "../behaviour/behaviour.ts";
import { MAX_CENTAVOS } from "../lib/amount.ts";

/** JSON Schemas of what the control API takes. Nothing is coerced, nothing unknown is let pass. */

const strict = (properties: Record<string, unknown>, required: string[] = []) => ({
  type: "object",
  additionalProperties: false,
  required,
  properties,
});

const MAX_MS = 86_400_000;
const milliseconds = { type: "integer", minimum: 0, maximum: MAX_MS };
const probability = { type: "number", minimum: 0, maximum: 1 };
const duration = {
  anyOf: [milliseconds, strict({ min: milliseconds, max: milliseconds }, ["min", "max"])],
};
const fromNought = { type: "integer", minimum: 0, maximum: MAX_CENTAVOS };
const centavos = { type: "integer", minimum: 1, maximum: MAX_CENTAVOS };

const places = { type: "array", uniqueItems: true, items: { enum: [...PLACES] } };

const payer = strict(
  {
    name: { type: "string", minLength: 1, maxLength: 200 },
    document: { type: "string", pattern: "^(\\d{11}|[0-9A-Z]{12}\\d{2})$" },
  },
  ["name", "document"],
);
const payerOrNull = { anyOf: [payer, { type: "null" }] };
const paidAt = { type: "string", maxLength: 40 };
const infoPagador = { type: "string", maxLength: 140 };

const faultRule = strict(
  {
    route: { enum: [...ROUTES, "*", "callback"] },
    kind: { enum: [...REQUEST_FAULTS, ...CALLBACK_FAULTS] },
    probability,
    times: { type: "integer", minimum: 1 },
    timesPerId: { type: "integer", minimum: 1 },
    ms: milliseconds,
    status: { enum: [500, 503, 504] },
    html: { type: "boolean" },
    generic: { type: "boolean" },
    retryAfter: { type: "integer", minimum: 0, maximum: 3600 },
    size: { type: "integer", minimum: 2, maximum: 1000 },
  },
  ["route", "kind", "probability"],
);

export const behaviourSchema = strict({
  putMode: { enum: ["bcb", "efi"] },
  dialect: { enum: ["bcb", "efi"] },
  includePayer: { anyOf: [{ type: "boolean" }, probability] },
  txidIn: places,
  payerIn: places,
  returnsIn: places,
  plainIn: places,
  statusWords: {
    type: "object",
    maxProperties: 20,
    additionalProperties: { type: "string", minLength: 1, maxLength: 64 },
  },
  perMinute: {
    type: "object",
    propertyNames: { enum: [...ROUTES] },
    additionalProperties: { type: "integer", minimum: 1 },
  },
  silentListCap: { type: "integer", minimum: 0, maximum: 1_000 },
  listsDays: { type: "boolean" },
  patchKeepsParts: { type: "boolean" },
  commaIn: places,
  returnsCommaIn: places,
  rtrIdDelayMs: milliseconds,
  medReturn: strict({ delayMs: milliseconds, percent: { type: "integer", minimum: 0, maximum: 100 } }, [
    "delayMs",
    "percent",
  ]),
  tariffs: strict({ receivedCentavos: fromNought, sentCentavos: fromNought, shownIn: places }, [
    "receivedCentavos",
    "sentCentavos",
    "shownIn",
  ]),
  bareCallbacks: { type: "boolean" },
  keyRememberedMs: milliseconds,
  withheldPercent: { type: "integer", minimum: 0, maximum: 99 },
  withheldIn: places,
  readLagMs: duration,
  tokenExpiresIn: { type: "integer", minimum: 1, maximum: 86_400 },
  returnDelayMs: milliseconds,
  payoutDelayMs: milliseconds,
  payoutApproval: { type: "boolean" },
  payoutAnalysis: { type: "boolean" },
  openingBalanceCentavos: fromNought,
  insufficientBalance: { enum: ["refuse", "fail"] },
  callbackDelayMs: milliseconds,
  callbackRetry: strict(
    {
      firstMs: { ...milliseconds, minimum: 1 },
      capMs: { ...milliseconds, minimum: 1 },
      tries: { type: "integer", minimum: 1, maximum: 100 },
    },
    ["firstMs", "capMs", "tries"],
  ),
  autoNotify: { type: "boolean" },
  autoPay: strict({ probability, delayMs: duration }, ["probability", "delayMs"]),
  faults: strict(
    {
      seed: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      rules: { type: "array", maxItems: 100, items: faultRule },
    },
    ["seed", "rules"],
  ),
});

const optionalBody = (schema: Record<string, unknown>) => ({ ...schema, type: ["object", "null"] });

export const paySchema = optionalBody(
  strict({
    payer: payerOrNull,
    amountCentavos: centavos,
    paidAt,
    infoPagador,
    withheldCentavos: fromNought,
    force: { type: "boolean" },
    composition: strict(
      { original: centavos, multa: fromNought, juros: fromNought, desconto: fromNought, abatimento: fromNought },
      ["original", "multa", "juros", "desconto", "abatimento"],
    ),
  }),
);

export const codeSchema = strict(
  {
    code: { type: "string", minLength: 8, maxLength: 1024 },
    payer: payerOrNull,
    amountCentavos: centavos,
    paidAt,
    infoPagador,
    withheldCentavos: fromNought,
    force: { type: "boolean" },
  },
  ["code"],
);

export const pixSchema = strict(
  {
    amountCentavos: centavos,
    e2eId: { type: "string", pattern: "^E[a-zA-Z0-9]{31}$" },
    txid: { type: "string", pattern: "^[a-zA-Z0-9]{1,35}$" },
    payer: payerOrNull,
    paidAt,
    infoPagador,
    withheldCentavos: fromNought,
  },
  ["amountCentavos"],
);

export const settleSchema = strict(
  { outcome: { enum: ["confirm", "fail"] }, reason: { type: "string", minLength: 1, maxLength: 140 } },
  ["outcome"],
);

export const medReturnSchema = strict(
  {
    amountCentavos: centavos,
    notify: { type: "boolean" },
    natureza: { enum: ["ORIGINAL", "MED_FRAUDE"] },
    id: { type: "string", pattern: "^[a-zA-Z0-9]{1,35}$" },
    rtrId: { type: "string", pattern: "^D[a-zA-Z0-9]{31}$" },
    force: { type: "boolean" },
  },
  ["amountCentavos"],
);

const reason = { type: "string", minLength: 1, maxLength: 140 };

export const settlePayoutSchema = strict(
  {
    outcome: { enum: ["complete", "fail", "reverse"] },
    amountCentavos: centavos,
    reason,
    code: { type: "string" },
    id: { type: "string", pattern: "^[a-zA-Z0-9]{1,35}$" },
  },
  ["outcome"],
);

export const infractionSchema = strict(
  {
    e2eId: { type: "string", minLength: 1, maxLength: 64 },
    amountCentavos: centavos,
    reason,
    respondBy: { type: "string", maxLength: 40 },
    precautionary: { type: "boolean" },
  },
  ["e2eId"],
);

export const amountSchema = strict({ amountCentavos: centavos, respondBy: { type: "string", maxLength: 40 } }, [
  "amountCentavos",
]);

export const resolveSchema = strict(
  { outcome: { enum: ["accepted", "rejected", "cancelled"] }, returnCentavos: fromNought },
  ["outcome"],
);

export const pretenceSchema = {
  ...strict({
    status: { type: "string", minLength: 1, maxLength: 40 },
    amountCentavos: centavos,
    absent: { const: true },
  }),
  minProperties: 1,
};

export const keySchema = strict(
  {
    document: { type: ["string", "null"], pattern: "^(\\d{11}|[0-9A-Z]{12}\\d{2})$" },
    name: { type: "string", minLength: 1, maxLength: 200 },
  },
  ["document"],
);

export const clockSchema = strict({ now: { type: "string", maxLength: 40 } }, ["now"]);
