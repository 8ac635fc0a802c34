import { show } from "../show.ts";
import type { Flag } from "./action.ts";

/** Parameters of cases' actions. */
export const PARAMETERS: Readonly<Record<string, Flag>> = {
  reason: { says: "parameter: why", field: "parameters.reason" },
  kind: { says: "parameter: which kind of the operator's own money", field: "parameters.kind" },
  amount: { says: "parameter: BRL", field: "parameters.amount", kind: "number" },
  account: { says: "parameter: id of the account", field: "parameters.accountId" },
  charge: { says: "parameter: id of the charge", field: "parameters.chargeId" },
  "e2e-id": { says: "parameter: end-to-end id", field: "parameters.e2eId" },
  reference: { says: "parameter: the bank's number of it", field: "parameters.reference" },
  description: { says: "parameter: what it was for", field: "parameters.description" },
  wallet: { says: "parameter: reference of the sub-account", field: "parameters.subAccount" },
  "external-reference": { says: "parameter: the merchant's reference of it", field: "parameters.externalReference" },
  "open-withdrawals": { says: "parameter: what becomes of them", field: "parameters.openWithdrawals" },
  "silent-institutions": { says: "parameter: what of those", field: "parameters.silentInstitutions" },
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

/** For people: each action with the flags that `case propose` takes for it; those that may be left out in brackets. */
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
  // The gateway keeps what it found as it found it; a reader of BRL must not take its amounts for BRL.
  const found = { ...said, ...(data === undefined ? {} : { "data (amounts in centavos)": data }) };
  // The step that found something repeats the evidence.
  const history = steps.map((step) => ({ ...step, body: step.body.says ?? step.body }));
  return `${show({ ...rest, history, evidence: found })}\nactions\n${show({ items }).replace(/^/gm, "  ")}`;
}

/** An approved action may be refused when it is carried out, since its facts have changed. */
export const wasRefused = (result: unknown): boolean =>
  (result as { readonly proposal?: { readonly status: string } | null }).proposal?.status === "refused";
