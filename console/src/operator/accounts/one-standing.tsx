import type { operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useChange } from "../../parts/change.ts";
import { useErrorText } from "../../parts/feedback.tsx";
import { useAddress } from "../../parts/filters.tsx";
import { showWhen } from "../../parts/instant.ts";
import { useSession } from "../../session/session.tsx";
import { Answer } from "../answer.tsx";
import { AGAIN_MS, useBrakes, useInstitutions } from "../reads.ts";
import { wordOf } from "../words.ts";
import { type Can, canOf } from "./can-of.ts";
import { useLinked, useOthers } from "./linked-institutions.tsx";

type Account = operator.OperatorAccount;
type Institution = operator.OperatorInstitution;

/** Open cases of the account that are counted. */
const COUNTED = 20;

/** Whether the account can charge and withdraw, what weakens that, and what of it waits for a person. */
export function OneStanding({ account }: { account: Account }) {
  const { t } = useTranslation();
  const linked = useLinked(account.id);
  const institutions = useInstitutions();
  const brakes = useBrakes();
  const cases = useCases(account.id);
  if ([linked, institutions, brakes, cases].some(({ isPending }) => isPending)) {
    return <div className="answer-place with-then" />;
  }
  const waiting = cases.data && <Waiting accountId={account.id} page={cases.data} />;
  // What could not be read never counts as good.
  if (linked.data === undefined || institutions.data === undefined || brakes.data === undefined) {
    return (
      <Answer shape="waiting" then={waiting}>
        {t("operator.accounts.can.unknown")}
      </Answer>
    );
  }
  const uses = linked.data.items.filter(({ enabled }) => enabled).map(({ id }) => id);
  const used = institutions.data.filter(({ id, status }) => status === "active" && uses.includes(id));
  const can = canOf(account, used, brakes.data);
  const isCritical = cases.data?.items.some(({ severity }) => severity === "critical") ?? false;
  const isWaited = (cases.data?.items.length ?? 0) > 0;
  const shape = isCritical ? "failed" : can.shape === "done" && isWaited ? "needs" : can.shape;
  return (
    <Answer
      shape={shape}
      then={
        <>
          <Why account={account} can={can} used={used} /> {waiting}
          <Mend account={account} can={can} uses={uses} />
        </>
      }
    >
      {t(`operator.accounts.can.${can.word}`, {
        reason: wordOf("frozenReason", account.withdrawalsFrozen?.reason ?? ""),
      })}
    </Answer>
  );
}

/** What ends what weakens the account, for who may do it: another institution, and limits. */
function Mend({ account: { id }, can: { word }, uses }: { account: Account; can: Can; uses: readonly string[] }) {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const address = useAddress();
  const { data = [] } = useInstitutions();
  const charging = data.filter(({ capabilities }) => capabilities?.charges.length !== 0).map(({ id }) => id);
  const [other] = useOthers().filter(({ id }) => charging.includes(id) && !uses.includes(id));
  const link = useChange((institutionId: string) => operator.institutions.link(id, institutionId, { enabled: true }));
  const say = useErrorText();
  const mayLimit = session.installationRole === "admin" || session.installationRole === "finance";
  return (
    <>
      {(word === "one" || word === "oneUnlimited") && other && (
        <>
          {" · "}
          <button type="button" className="act" disabled={link.isPending} onClick={() => link.mutate(other.id)}>
            {t("operator.accounts.useToo", { name: other.name })}
          </button>
        </>
      )}
      {(word === "unlimited" || word === "oneUnlimited") && mayLimit && (
        <>
          {" · "}
          <Link href={address.withChange({ terms: "1" })} className="act">
            {t("operator.accounts.setLimits")}
          </Link>
        </>
      )}
      {link.error && <span className="block failed-text">{say(link.error)}</span>}
    </>
  );
}

function useCases(accountId: string) {
  const { operator } = useSession();
  return useQuery({
    queryKey: ["operator", "account", accountId, "cases"],
    queryFn: () => operator.cases.list({ accountId, status: "open", limit: COUNTED }).page(),
    refetchInterval: AGAIN_MS,
  });
}

function Waiting({ accountId, page: { items, nextCursor } }: { accountId: string; page: operator.CasePage }) {
  const { t } = useTranslation();
  const count = items.length;
  if (count === 0) return t("operator.accounts.noneWaits");
  return (
    <Link href={`/operator/cases?account=${accountId}`} className="link">
      {t(nextCursor === null ? "operator.accounts.wait" : "operator.accounts.manyWait", { count })}
    </Link>
  );
}

/** Since when, what follows, and where one reads on. */
function Why({
  account,
  can: { word },
  used,
}: {
  account: Account;
  can: Can;
  used: readonly Institution[];
}): ReactNode {
  const { t, i18n } = useTranslation();
  const { withdrawalsFrozen } = account;
  if (word === "suspended") return t("operator.accounts.suspendedText");
  if (word === "one" || word === "oneUnlimited") return t("operator.accounts.onlyOne", { name: used[0]?.name });
  if (word === "frozen" && withdrawalsFrozen !== undefined) {
    return (
      <>
        {t("operator.accounts.stoppedAt", { since: showWhen(new Date(withdrawalsFrozen.since), i18n.language) })}{" "}
        <Link href="/operator/books" className="link">
          {t("operator.accounts.seeBooks")}
        </Link>
        .
      </>
    );
  }
  if (word !== "braked") return null;
  return (
    <>
      <Link href="/operator/payouts" className="link">
        {t("operator.accounts.seeBrakes")}
      </Link>
      .
    </>
  );
}
