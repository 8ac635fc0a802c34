import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { dayOf, showWhen, startOfDay } from "../parts/instant.ts";
import { useSession } from "../session/session.tsx";
import { amountText } from "./about-text.ts";
import { Answer } from "./answer.tsx";
import { Said } from "./audit-said.tsx";
import { hrefOf, toldOf } from "./audited.ts";
import { AGAIN_MS } from "./reads.ts";
import { actorName } from "./words.ts";

/** Entries of today that are read; of more, the sentence says so. */
const READ = 100;
/** Most who are named. */
const NAMED = 3;

/** What was decided or asked about money today and by whom, and what of it last. */
export function Today() {
  const { t, i18n } = useTranslation();
  const { operator } = useSession();
  const today = dayOf(new Date());
  const { data } = useQuery({
    queryKey: ["operator", "auditLog", "of", today],
    queryFn: () =>
      operator.auditLog.list({ from: startOfDay(today).toISOString(), aboutMoney: true, limit: READ }).page(),
    refetchInterval: AGAIN_MS,
  });
  if (data === undefined) return null;
  const { items, nextCursor } = data;
  const told = toldOf(items);
  const [last] = told;
  if (last === undefined) return <Answer>{t("operator.auditLog.noMoney")}</Answer>;
  const actors = [...new Set(items.map(({ actor }) => actorName(actor)))];
  const by =
    actors.length > NAMED
      ? t("operator.auditLog.byMany", { count: actors.length })
      : new Intl.ListFormat(i18n.language).format(actors);
  const key = nextCursor === null ? "operator.auditLog.today" : "operator.auditLog.moreToday";
  const { entry, before } = last;
  const href = hrefOf(entry);
  const amount = amountText(entry);
  const said = (
    <>
      {actorName(entry.actor)} <Said entry={entry} earlier={before} />
    </>
  );
  return (
    <Answer
      then={
        <>
          {t("operator.auditLog.lastMoney", { when: showWhen(new Date(entry.createdAt), i18n.language) })}{" "}
          {href === null ? (
            said
          ) : (
            <Link href={href} className="link">
              {said}
            </Link>
          )}
          {amount !== "" && ` ${t("operator.auditLog.amount", { amount })}`}
        </>
      }
    >
      <Link href="/operator/audit-log?about=money" className="link">
        {t(key, { count: told.length, by })}
      </Link>
    </Answer>
  );
}
