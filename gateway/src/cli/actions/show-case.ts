import { show } from "../show.ts";
import type { Flag } from "./action.ts";

/** Parameters of cases' actions. */
export const PARAMETERS: Readonly<Record<string, Flag>> = {
  reason: { description: "parameter: why", field: "parameters.reason" },
  kind: { description: "parameter: which kind of the operator's own money", field: "parameters.kind" },
  amount: { description: "parameter: BRL", field: "parameters.amount", kind: "number" },
  account: { description: "parameter: id of the account", field: "parameters.accountId" },
  charge: { description: "parameter: id of the charge", field: "parameters.chargeId" },
  "e2e-id": { description: "parameter: end-to-end id", field: "parameters.e2eId" },
  reference: { description: "parameter: the bank's number of it", field: "parameters.reference" },
  description: { description: "parameter: what it was for", field: "parameters.description" },
  wallet: { description: "parameter: reference of the sub-account", field: "parameters.subAccount" },
  "external-reference": {
    description: "parameter: the merchant's reference of it",
    field: "parameters.externalReference",
  },
  "open-withdrawals": { description: "parameter: what becomes of them", field: "parameters.openWithdrawals" },
  "silent-institutions": { description: "parameter: what of those", field: "parameters.silentInstitutions" },
};

type Shown = {
  readonly history: readonly { readonly body: { readonly says?: string } }[];
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly actions: readonly {
    readonly action: string;
    readonly says: string;
    readonly parameters: readonly {
      readonly name: string;
      readonly required: boolean;
      readonly values?: readonly string[];
    }[];
  }[];
};

/** For people: each action with the flags that `case propose` takes for it; optional ones in brackets. */
export function showCase(result: unknown): string {
  const { actions, evidence, history: steps, ...rest } = result as Shown;
  const { data, ...said } = evidence;
  const flagOf = (name: string) =>
    Object.entries(PARAMETERS).find(([, { field }]) => field === `parameters.${name}`)?.[0] ?? name;
  const items = actions.map(({ action, parameters, says }) => ({
    action,
    parameters: parameters
      .map(({ name, required, values }) => {
        const flag = `--${flagOf(name)} ${values?.join("|") ?? "…"}`;
        return required ? flag : `[${flag}]`;
      })
      .join(" "),
    says,
  }));
  // The gateway stores evidence in centavos; a reader of BRL must not read its amounts as BRL.
  const found = { ...said, ...(data === undefined ? {} : { "data (amounts in centavos)": data }) };
  // The step that found something repeats the evidence.
  const history = steps.map((step) => ({ ...step, body: step.body.says ?? step.body }));
  return `${show({ ...rest, history, evidence: found })}\nactions\n${show({ items }).replace(/^/gm, "  ")}`;
}

/** An approved action may be refused when it is executed, because its facts have changed. */
export const wasRefused = (result: unknown): boolean =>
  (result as { readonly proposal?: { readonly status: string } | null }).proposal?.status === "refused";
