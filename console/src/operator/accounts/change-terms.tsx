import { Button } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAddress } from "../../parts/filters.tsx";
import { FormPanel } from "../../parts/form-panel.tsx";
import { useSession } from "../../session/session.tsx";
import { useWaitsAlways } from "../deciding.ts";
import { type Terms, TermsFields, termsOf } from "./terms-fields.tsx";

type Account = operator.OperatorAccount;

/** Changes fees, limits and policies of an account, for who may. What is less safe for its money waits for a second person in a case. */
export function ChangeTerms({ account }: { account: Account }) {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const address = useAddress();
  const { installationRole: role } = session;
  const isAtOnce = useWaitsAlways() === false;
  const isOpen = address.get("terms") !== null;
  // What the form was opened with: its fields keep that while others change the account.
  const [before, setBefore] = useState(account);
  if (!isOpen && before !== account) setBefore(account);
  if (role !== "admin" && role !== "finance") return null;
  const open = (terms: string | null) => address.change({ terms });
  return (
    <>
      <Button variant="default" onClick={() => open("1")}>
        {t("operator.accounts.terms.change")}
      </Button>
      <FormPanel
        title={`${t("operator.accounts.terms.changeTitle")} · ${before.name}`}
        opened={isOpen}
        onClose={() => open(null)}
        read={(form) => {
          const terms = termsOf(form, before.fees);
          return terms && changesOf(before, terms, account.fees);
        }}
        save={async (patch) => {
          if (Object.keys(patch).length > 0) await operator.accounts.update(before.id, patch);
        }}
        button={{ text: t("operator.accounts.terms.save") }}
      >
        <p className="note">
          {t(isAtOnce ? "operator.accounts.terms.changeAtOnce" : "operator.accounts.terms.changeText")}
        </p>
        <TermsFields standing={before} />
      </FormPanel>
    </>
  );
}

/**
 * Only what is another than it was: what somebody else has changed meanwhile stays.
 *
 * @param fees those that apply now: a fee is replaced as a whole.
 */
function changesOf(before: Account, terms: Terms, fees: Account["fees"]): operator.AccountPatch {
  const changedFees = (["charge", "withdrawal", "refund"] as const)
    .map((name) => [name, differences(before.fees[name], terms.fees[name] ?? {})] as const)
    .filter(([, changed]) => Object.keys(changed).length > 0)
    .map(([name, changed]) => [name, { ...fees[name], ...changed }]);
  const parts = (["limits", "payouts", "policies"] as const).map(
    (part) => [part, differences(before[part], terms[part] ?? {})] as const,
  );
  return Object.fromEntries(
    [["fees", Object.fromEntries(changedFees)] as const, ...parts].filter(
      ([, changed]) => Object.keys(changed).length > 0,
    ),
  );
}

const differences = (before: object, now: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(now).filter(([name, value]) => !isSame((before as Record<string, unknown>)[name], value)),
  );

/** Lists are the same by what they contain; one that a process of an earlier version does not have is empty. */
const isSame = (before: unknown, now: unknown): boolean =>
  Array.isArray(now)
    ? `${[...((before as unknown[]) ?? [])].sort()}` === `${[...now].sort()}`
    : now === (before ?? null);
