import { Button } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { useAddress } from "../../parts/filters.tsx";
import { FormPanel } from "../../parts/form-panel.tsx";
import { useSession } from "../../session/session.tsx";
import { type Terms, TermsFields, termsOf } from "./terms-fields.tsx";

type Account = operator.OperatorAccount;

/** Changes fees, limits and policies of an account, for who may. What is less safe for its money waits for a second person in a case. */
export function ChangeTerms({ account }: { account: Account }) {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const address = useAddress();
  const { installationRole: role } = session;
  if (role !== "admin" && role !== "finance") return null;
  const open = (terms: string | null) => address.change({ terms });
  return (
    <>
      <Button variant="default" size="xs" onClick={() => open("1")}>
        {t("operator.accounts.terms.change")}
      </Button>
      <FormPanel
        title={`${t("operator.accounts.terms.changeTitle")} · ${account.name}`}
        opened={address.get("terms") !== null}
        onClose={() => open(null)}
        read={(form) => {
          const terms = termsOf(form, account.fees);
          return terms && changesOf(account, terms);
        }}
        save={async (patch) => {
          if (Object.keys(patch).length > 0) await operator.accounts.update(account.id, patch);
        }}
        button={{ text: t("operator.accounts.terms.save") }}
      >
        <p className="note">{t("operator.accounts.terms.changeText")}</p>
        <TermsFields standing={account} />
      </FormPanel>
    </>
  );
}

/** Only what is another than it was: what somebody else has changed meanwhile stays. */
function changesOf(account: Account, terms: Terms): operator.AccountPatch {
  const parts = (["fees", "limits", "payouts", "policies"] as const).map((part) => {
    const standing = account[part] as Readonly<Record<string, unknown>>;
    const changed = Object.entries(terms[part] ?? {}).filter(
      ([name, value]) => JSON.stringify(inOrder(value)) !== JSON.stringify(inOrder(standing[name] ?? null)),
    );
    return [part, Object.fromEntries(changed)] as const;
  });
  return Object.fromEntries(parts.filter(([, changed]) => Object.keys(changed).length > 0));
}

/** The fields of an object by their names, so that two can be compared as texts. */
const inOrder = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)) : value;
