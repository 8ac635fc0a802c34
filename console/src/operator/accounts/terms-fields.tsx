import "@mantine/core/styles/Checkbox.css";
import "@mantine/core/styles/InlineInput.css";
import { Checkbox, TextInput } from "@mantine/core";
import { addBrl, type operator, parseBrl } from "@pixgate/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { showBrl } from "../../parts/amount.ts";
import { feeOf } from "../../parts/fee.ts";
import { fieldOf } from "../../parts/form-panel.tsx";
import { NativeSelect } from "../../parts/select.ts";
import { writeNumber } from "../../parts/typed-amount.tsx";
import { useSession } from "../../session/session.tsx";
import { wordOf } from "../words.ts";

type Account = operator.OperatorAccount;
/** What applies to an account: all that its form sets. */
export type Terms = Required<Pick<operator.AccountPatch, "fees" | "limits" | "payouts">> &
  Pick<operator.AccountPatch, "policies">;
type Standing = Pick<Account, "fees" | "limits" | "payouts" | "policies">;

/** The fees of an account that has none yet. */
export const NO_FEES: Account["fees"] = { charge: { fixed: 0 }, withdrawal: { fixed: 0 }, refund: { fixed: 0 } };

/** Of the example that explains a fee, BRL. */
const EXAMPLE = 100;
/** What `parseBrl` reads, so that the browser says what it does not: `1.000` is a thousand to one reader, and one to another. */
const BRL = [
  "([0-9]{1,3}([.][0-9]{3})+|[0-9]+),[0-9]{1,2}",
  "[0-9]+([.][0-9]{1,2})?",
  "[0-9]{1,3}([.][0-9]{3}){2,}",
].join("|");
const PERCENT = "(100|[0-9]{1,2}([.,][0-9]{1,2})?)";

/** Fees with an example, limits and policies. `standing`: what applies now; left out, nothing does. */
export function TermsFields({ standing }: { standing?: Standing }) {
  const { session } = useSession();
  return (
    <>
      <Fees fees={standing?.fees ?? null} />
      <Limits standing={standing ?? null} />
      {session.installationRole === "admin" && <Policies policies={standing?.policies ?? null} />}
    </>
  );
}

type AmountProps = { name: string; label: string; brl: number | null | undefined; onText?: (text: string) => void };

function Amount({ name, label, brl, onText }: AmountProps) {
  return (
    <TextInput
      name={name}
      label={label}
      leftSection="R$"
      inputMode="decimal"
      autoComplete="off"
      pattern={BRL}
      defaultValue={writeNumber(brl)}
      onChange={({ currentTarget }) => onText?.(currentTarget.value)}
    />
  );
}

/** The fees, and what a charge of the example's amount leaves of itself. */
function Fees({ fees }: { fees: Account["fees"] | null }) {
  const { t } = useTranslation();
  const before = { fixed: writeNumber(fees?.charge.fixed), percent: writeNumber(fees?.charge.percent) };
  const [fixed, setFixed] = useState(before.fixed);
  const [percent, setPercent] = useState(before.percent);
  const { min, max } = fees?.charge ?? {};
  const fee = feeOf(EXAMPLE, readAmount(fixed) ?? 0, readPercent(percent) ?? 0, min, max);
  const arrives = addBrl(EXAMPLE, -fee);
  return (
    <fieldset className="stack plain-set">
      <legend>{t("operator.accounts.fees")}</legend>
      <div className="fee-row">
        <Amount name="chargeFixed" label={t("operator.accounts.fixedFee")} brl={fees?.charge.fixed} onText={setFixed} />
        <TextInput
          name="chargePercent"
          label={t("operator.accounts.percentFee")}
          rightSection="%"
          inputMode="decimal"
          autoComplete="off"
          pattern={PERCENT}
          defaultValue={before.percent}
          onChange={({ currentTarget }) => setPercent(currentTarget.value)}
        />
        <Amount name="withdrawalFixed" label={t("operator.accounts.withdrawalFee")} brl={fees?.withdrawal.fixed} />
        <Amount name="refundFixed" label={t("operator.accounts.refundFee")} brl={fees?.refund.fixed} />
      </div>
      <p className="note" role="status">
        {t("operator.accounts.feeExample", {
          paid: showBrl(EXAMPLE),
          fee: showBrl(fee),
          arrives: showBrl(arrives),
        })}
      </p>
    </fieldset>
  );
}

const LIMITS = ["perWithdrawal", "perDay", "perNight", "approvalAbove"] as const;

/** The limits, and which of those that stand will be gone: an emptied field looks like one that nobody has touched. */
function Limits({ standing }: { standing: Pick<Standing, "limits" | "payouts"> | null }) {
  const { t } = useTranslation();
  const limits = { ...standing?.limits, approvalAbove: standing?.payouts.approvalAbove };
  const [emptied, setEmptied] = useState<readonly string[]>([]);
  const gone = LIMITS.filter((name) => emptied.includes(name) && typeof limits[name] === "number");
  return (
    <fieldset className="stack plain-set">
      <legend>{t("operator.accounts.limits")}</legend>
      <div className="fee-row">
        {LIMITS.map((name) => (
          <Amount
            key={name}
            name={name}
            label={t(`operator.accounts.limit.${name}`)}
            brl={limits[name]}
            onText={(text) =>
              setEmptied((names) => [...names.filter((other) => other !== name), ...(text.trim() === "" ? [name] : [])])
            }
          />
        ))}
      </div>
      <p className="note" role="status" hidden={gone.length === 0}>
        {t("operator.accounts.limitsGone", {
          limits: gone
            .map((name) => `${t(`operator.accounts.limit.${name}`)} (${showBrl(limits[name] ?? 0)})`)
            .join(", "),
        })}
      </p>
      <p className="small quiet">{t("operator.accounts.limitText")}</p>
    </fieldset>
  );
}

const NEEDS = [
  "payouts",
  "unattended_payouts",
  "due_dates",
  "static_codes",
  "tills",
  "partial_refunds",
  "disputes",
] as const;

function Policies({ policies }: { policies: Account["policies"] | null }) {
  const { t } = useTranslation();
  return (
    <fieldset className="stack plain-set">
      <legend>{t("operator.accounts.policies")}</legend>
      <NativeSelect
        name="latePayments"
        label={t("operator.accounts.policy.late")}
        defaultValue={policies?.latePayments ?? "credit"}
        data={(["credit", "return"] as const).map((value) => ({ value, label: wordOf("policy", value) }))}
      />
      <NativeSelect
        name="cnpj"
        label={t("operator.accounts.policy.cnpj")}
        defaultValue={String(!(policies?.blockCnpjPayers ?? false))}
        data={(["true", "false"] as const).map((value) => ({ value, label: wordOf("yes", value) }))}
      />
      <NativeSelect
        name="uncheckedHolders"
        label={t("operator.accounts.policy.holder")}
        description={t("operator.accounts.policy.holderText")}
        defaultValue={String(policies?.uncheckedHolders ?? false)}
        data={(["true", "false"] as const).map((value) => ({ value, label: wordOf("yes", value) }))}
      />
      <fieldset className="stack plain-set">
        <legend>{t("operator.accounts.policy.needs")}</legend>
        <p className="small quiet">{t("operator.accounts.policy.needsText")}</p>
        {NEEDS.map((need) => (
          <Checkbox
            key={need}
            name="needs"
            value={need}
            label={wordOf("need", need)}
            defaultChecked={policies?.needs?.includes(need) ?? false}
          />
        ))}
      </fieldset>
    </fieldset>
  );
}

/**
 * What the form says; null where an amount is written that is none: an empty field is "no limit", and a mistyped one must not be.
 *
 * @param fees those that apply: the form does not show all that a fee may have, and a fee is replaced as a whole.
 */
export function termsOf(form: FormData, fees: Account["fees"]): Terms | null {
  const texts = AMOUNTS.map((name) => [name, fieldOf(form, name)] as const);
  const percent = readPercent(fieldOf(form, "chargePercent"));
  if (percent === null || texts.some(([, text]) => text !== "" && readAmount(text) === null)) return null;
  const amounts = Object.fromEntries(texts.map(([name, text]) => [name, readAmount(text)])) as Record<
    (typeof AMOUNTS)[number],
    number | null
  >;
  const late = fieldOf(form, "latePayments");
  return {
    fees: {
      charge: { ...fees.charge, fixed: amounts.chargeFixed ?? 0, percent },
      withdrawal: { ...fees.withdrawal, fixed: amounts.withdrawalFixed ?? 0 },
      refund: { ...fees.refund, fixed: amounts.refundFixed ?? 0 },
    },
    limits: { perWithdrawal: amounts.perWithdrawal, perDay: amounts.perDay, perNight: amounts.perNight },
    payouts: { approvalAbove: amounts.approvalAbove },
    // Without the role the form has no policies.
    ...(late !== "" && {
      policies: {
        latePayments: late === "return" ? ("return" as const) : ("credit" as const),
        blockCnpjPayers: fieldOf(form, "cnpj") === "false",
        uncheckedHolders: fieldOf(form, "uncheckedHolders") === "true",
        needs: NEEDS.filter((need) => form.getAll("needs").includes(need)),
      },
    }),
  };
}

const AMOUNTS = [...(["chargeFixed", "withdrawalFixed", "refundFixed"] as const), ...LIMITS];

/** BRL; null where nothing, or no amount, was written. */
function readAmount(text: string): number | null {
  if (text.trim() === "") return null;
  try {
    return parseBrl(text);
  } catch {
    return null;
  }
}

/** Nothing written is 0; null where it is no percentage. */
function readPercent(text: string): number | null {
  const percent = Number(text.trim().replace(",", "."));
  return Number.isFinite(percent) && percent >= 0 && percent <= 100 ? percent : null;
}
