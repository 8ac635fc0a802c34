import "../operator.css";
import { Button } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link, useLocation, useParams } from "wouter";
import { showBrl } from "../../parts/amount.ts";
import { useChange } from "../../parts/change.ts";
import { useCounted } from "../../parts/counted.ts";
import { showDocument } from "../../parts/document.ts";
import { Facts } from "../../parts/facts.tsx";
import { Failure, Read } from "../../parts/feedback.tsx";
import { Id } from "../../parts/id.tsx";
import { showDay } from "../../parts/instant.ts";
import { PagedList } from "../../parts/list.tsx";
import { Money } from "../../parts/money.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { State } from "../../parts/state.tsx";
import { SureButton } from "../../parts/sure.tsx";
import { useSession } from "../../session/session.tsx";
import { AGAIN_MS } from "../reads.ts";
import { wordOf } from "../words.ts";
import { accountShape, accountWord } from "./accounts.tsx";
import { ChangeTerms } from "./change-terms.tsx";
import { LinkedInstitutions } from "./linked-institutions.tsx";
import { NewCredential } from "./new-credential.tsx";
import { OneStanding } from "./one-standing.tsx";

type Account = operator.OperatorAccount;

/** An account: its money, its institutions, what applies to it, and what can be stopped. */
export default function OneAccount() {
  const { t } = useTranslation();
  const { id = "" } = useParams<{ id: string }>();
  const { operator } = useSession();
  const query = useQuery({
    queryKey: ["operator", "account", id],
    queryFn: () => operator.accounts.get(id),
    refetchInterval: AGAIN_MS,
  });
  return (
    <Page
      title={query.data?.name ?? t("operator.accounts.one")}
      crumb={{ href: "/operator/accounts", text: t("nav.operators.accounts") }}
      beside={query.data && <State shape={accountShape(query.data)}>{accountWord(query.data)}</State>}
      acts={
        query.data && (
          <>
            <ChangeTerms account={query.data} />
            <StopWithdrawals id={id} />
          </>
        )
      }
    >
      <Read query={query} lines={8}>
        {(account) => (
          <>
            <OneStanding account={account} />
            <Elsewhere account={account} />
            <div className="split split-below">
              <div>
                <Wallets id={id} />
                <LinkedInstitutions accountId={id} />
                <NewCredential accountId={id} />
                <Status account={account} />
              </div>
              <Terms account={account} />
            </div>
          </>
        )}
      </Read>
    </Page>
  );
}

/** What else the operator's screens have of the account, and the account as its own people see it. */
function Elsewhere({ account: { id, name } }: { account: Account }) {
  const { t } = useTranslation();
  const { session, see } = useSession();
  const [, go] = useLocation();
  // Support reads no ledger and sees no account: the gateway refuses it.
  const isSupport = session.installationRole === "support";
  return (
    <p className="small elsewhere">
      <span className="quiet">{t("operator.accounts.elsewhere")}</span>
      {(
        [
          ["cases", `/operator/cases?account=${id}`],
          ["withdrawals", `/operator/withdrawals?account=${id}`],
          ["disputes", `/operator/disputes?account=${id}`],
          ["auditLog", `/operator/audit-log?account=${id}`],
        ] as const
      ).map(([name, href]) => (
        <Link key={name} href={href} className="link">
          {t(`nav.operators.${name}`)}
        </Link>
      ))}
      {!isSupport && (
        <>
          <Link href={`/operator/accounts/${id}/ledger`} className="link">
            {t("operator.accounts.ledger")}
          </Link>
          <button
            type="button"
            className="act"
            title={t("operator.accounts.seeText")}
            onClick={() => {
              see({ accountId: id, name });
              go("/");
            }}
          >
            {t("operator.accounts.see")}
          </button>
        </>
      )}
    </p>
  );
}

/** At night the first thing to reach: it asks what and why before anything stops. */
function StopWithdrawals({ id }: { id: string }) {
  const { t } = useTranslation();
  const { session } = useSession();
  if (session.installationRole !== "admin" && session.installationRole !== "finance") return null;
  return (
    <Button component={Link} href={`/operator/payouts?brake=account:${id}`} variant="outline" color="red">
      {t("operator.accounts.brake")}
    </Button>
  );
}

function Wallets({ id }: { id: string }) {
  const { t } = useTranslation();
  const { operator } = useSession();
  return (
    <Section title={t("operator.accounts.balances")} end={t("statement.in.available")}>
      <PagedList
        queryKey={["operator", "account", id, "balance"]}
        read={(page) => operator.accounts.balance(id, page)}
        keyOf={({ subAccount }) => subAccount ?? ""}
        sumOf={useCounted("wallets")}
        empty={<p className="row-line">–</p>}
      >
        {(wallets) =>
          wallets.map(({ subAccount, name, available, held, promotional, total }) => (
            <div key={subAccount ?? ""} className="row-line">
              <span>
                <strong>{subAccount === null ? t("operator.accounts.mainWallet") : name}</strong>
                <span className="small quiet block">
                  {total === available
                    ? t("operator.accounts.noneHeld")
                    : t("operator.accounts.parts", {
                        total: showBrl(total),
                        held: showBrl(held),
                        promotional: showBrl(promotional),
                      })}
                </span>
              </span>
              <strong className="row-end">
                <Money brl={available} />
              </strong>
            </div>
          ))
        }
      </PagedList>
    </Section>
  );
}

/** Who the account is. */
function Data({ account: { id, legalName, document, environment, createdAt } }: { account: Account }) {
  const { t, i18n } = useTranslation();
  return (
    <Section title={t("operator.accounts.data")}>
      <Facts
        facts={[
          [t("operator.accounts.company"), legalName],
          [t("operator.accounts.document"), showDocument(document)],
          [t("operator.accounts.environment"), wordOf("environment", environment)],
          [t("operator.accounts.created"), showDay(new Date(createdAt), i18n.language)],
        ]}
      />
      <div className="small account-id">
        <span className="quiet">{t("operator.accounts.id")}</span> <Id>{id}</Id>
      </div>
    </Section>
  );
}

/** What applies to the account: fees, limits, policies. */
function Terms({ account }: { account: Account }) {
  const { t, i18n } = useTranslation();
  const { fees, limits, policies, payouts } = account;
  // A process of 0.1.0, during an upgrade, knows none.
  const { needs = [] } = policies as Partial<Account["policies"]>;
  const fee = ({ fixed, percent = 0 }: operator.Fee) =>
    [fixed > 0 || percent === 0 ? showBrl(fixed) : "", percent > 0 ? `${percent.toLocaleString(i18n.language)}%` : ""]
      .filter((part) => part !== "")
      .join(" + ");
  const limit = (brl: number | null | undefined) =>
    brl === null || brl === undefined ? t("operator.accounts.noLimit") : showBrl(brl);
  return (
    <div className="terms">
      <Data account={account} />
      <Section title={t("operator.accounts.fees")}>
        <Facts
          facts={[
            [t("operator.accounts.fee.charge"), fee(fees.charge)],
            [t("operator.accounts.fee.withdrawal"), fee(fees.withdrawal)],
            [t("operator.accounts.fee.refund"), fee(fees.refund)],
          ]}
        />
      </Section>
      <Section title={t("operator.accounts.limits")}>
        <Facts
          facts={[
            [t("operator.accounts.limit.perWithdrawal"), limit(limits.perWithdrawal)],
            [t("operator.accounts.limit.perDay"), limit(limits.perDay)],
            [t("operator.accounts.limit.perNight"), limit(limits.perNight)],
            [
              t("operator.accounts.limit.approvalAbove"),
              (payouts.approvalAbove ?? null) === null
                ? t("operator.accounts.noApproval")
                : limit(payouts.approvalAbove),
            ],
          ]}
        />
      </Section>
      <Section title={t("operator.accounts.policies")}>
        <Facts
          facts={[
            [t("operator.accounts.policy.late"), wordOf("policy", policies.latePayments)],
            [t("operator.accounts.policy.unknown"), wordOf("policy", policies.unknownPayers)],
            [t("operator.accounts.policy.cnpj"), wordOf("yes", String(!policies.blockCnpjPayers))],
            [t("operator.accounts.policy.holderChecked"), wordOf("yes", String(!policies.uncheckedHolders))],
            [
              t("operator.accounts.policy.needs"),
              needs.length > 0 ? needs.map((need) => wordOf("need", need)).join(", ") : null,
            ],
          ]}
        />
      </Section>
    </div>
  );
}

/** Suspends the account or lets it work again. */
function Status({ account: { id, name, status } }: { account: Account }) {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const change = useChange((to: "approved" | "suspended") => operator.accounts.update(id, { status: to }));
  if (session.installationRole !== "admin") return null;
  return (
    <Section title={t("operator.accounts.stop")}>
      <p className="small second pad-top">{t("operator.accounts.stopText")}</p>
      {status === "approved" ? (
        <SureButton
          text={t("operator.accounts.suspend", { name })}
          note={t("operator.accounts.suspendText")}
          sure={t("operator.accounts.suspend", { name })}
          change={{ ...change, mutate: () => change.mutate("suspended") }}
        />
      ) : (
        <>
          {change.error && <Failure error={change.error} />}
          <div className="acts">
            <Button variant="outline" loading={change.isPending} onClick={() => change.mutate("approved")}>
              {t("operator.accounts.approve", { name })}
            </Button>
          </div>
        </>
      )}
    </Section>
  );
}
