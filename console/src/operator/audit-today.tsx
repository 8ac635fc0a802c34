import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { dayOf, showWhen, startOfDay } from "../parts/instant.ts";
import { useSession } from "../session/session.tsx";
import { useAboutText } from "./about-text.ts";
import { Answer } from "./answer.tsx";
import { hrefOf, isAboutMoney } from "./audited.ts";
import { AGAIN_MS } from "./reads.ts";
import { actorName, wordOf } from "./words.ts";

/** Entries of today that are read; of more, the sentence says so. */
const READ = 100;
/** Most who are named. */
const NAMED = 3;

/** How much was written today and by whom, and who decided about money last. */
export function Today() {
  const { t, i18n } = useTranslation();
  const { operator } = useSession();
  const aboutText = useAboutText();
  const today = dayOf(new Date());
  const { data } = useQuery({
    queryKey: ["operator", "auditLog", "of", today],
    queryFn: () => operator.auditLog.list({ from: startOfDay(today).toISOString(), limit: READ }).page(),
    refetchInterval: AGAIN_MS,
  });
  if (data === undefined) return null;
  const { items, nextCursor } = data;
  if (items.length === 0) return <Answer shape="ended">{t("operator.auditLog.noneToday")}</Answer>;
  const actors = [...new Set(items.map(({ actor }) => actorName(actor)))];
  const by =
    actors.length > NAMED
      ? t("operator.auditLog.byMany", { count: actors.length })
      : new Intl.ListFormat(i18n.language).format(actors);
  const key = nextCursor === null ? "operator.auditLog.today" : "operator.auditLog.moreToday";
  const last = items.find(isAboutMoney);
  const href = last === undefined ? null : hrefOf(last);
  const lastText =
    last &&
    t("operator.auditLog.lastMoney", {
      name: actorName(last.actor),
      did: [wordOf("audited", last.action), aboutText(last)].filter(Boolean).join(": "),
      when: showWhen(new Date(last.createdAt), i18n.language),
    });
  return (
    <Answer
      shape="done"
      then={
        lastText ? (
          href === null ? (
            lastText
          ) : (
            <Link href={href} className="link">
              {lastText}
            </Link>
          )
        ) : (
          nextCursor === null && t("operator.auditLog.noMoney")
        )
      }
    >
      {t(key, { count: items.length, by })}
    </Answer>
  );
}
