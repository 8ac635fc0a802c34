import type { operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Read } from "../../parts/feedback.tsx";
import { showDayTime } from "../../parts/instant.ts";
import { Money } from "../../parts/money.tsx";
import { Section } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";
import { useSession } from "../../session/session.tsx";

type Hour = operator.InstitutionHours["hours"][number];
/** How often the hours are read again, ms: the processes count calls every half minute. */
const AGAIN_MS = 30_000;

/** Hours without any movement are left out. */
const isBusy = ({ chargesAnswered, chargesUnanswered, received, payouts, payoutsFailed, tariffs }: Hour): boolean =>
  [chargesAnswered, chargesUnanswered, received, payouts, payoutsFailed, tariffs].some((count) => count > 0);

/** What went over an institution by hours, newest first, and what it cost where its bank reports that. */
export function InstitutionHours({ id, tariffs }: { id: string; tariffs: boolean }) {
  const { t } = useTranslation();
  const { operator } = useSession();
  const query = useQuery({
    queryKey: ["operator", "hours", id],
    queryFn: () => operator.institutions.hours(id, { period: "day" }),
    refetchInterval: AGAIN_MS,
  });
  return (
    <Section title={t("operator.hours.title")} end={t("operator.history.period.day")}>
      <Read query={query} lines={4}>
        {({ hours }) => <Hours hours={hours.filter(isBusy).toReversed()} tariffs={tariffs} />}
      </Read>
    </Section>
  );
}

function Hours({ hours, tariffs: reports }: { hours: readonly Hour[]; tariffs: boolean }) {
  const { t, i18n } = useTranslation();
  if (hours.length === 0) return <p className="small quiet pad-top">{t("operator.hours.none")}</p>;
  return (
    <Table<Hour>
      caption={t("operator.hours.title")}
      rows={hours}
      keyOf={({ at }) => at}
      columns={[
        {
          key: "at",
          title: t("operator.hours.from"),
          cell: ({ at }) => <span className="num">{showDayTime(new Date(at), i18n.language)}</span>,
          corner: "who",
        },
        {
          key: "calls",
          title: t("operator.hours.answered"),
          cell: ({ chargesAnswered: answered, chargesUnanswered }) => {
            const all = answered + chargesUnanswered;
            const share = all === 0 ? null : Math.floor((100 * answered) / all);
            return (
              <>
                <span className="num">{t("operator.hours.of", { answered, all })}</span>
                {share !== null && <div className="label num">{share} %</div>}
              </>
            );
          },
          corner: "state",
        },
        {
          key: "received",
          title: t("operator.hours.received"),
          end: true,
          cell: ({ received, receivedAmount }) => <Counted count={received} brl={receivedAmount} />,
          corner: "amount",
        },
        {
          key: "payouts",
          title: t("operator.hours.payouts"),
          end: true,
          cell: ({ payouts, payoutsAmount, payoutsFailed }) => (
            <>
              <Counted count={payouts} brl={payoutsAmount} />
              {payoutsFailed > 0 && <div className="label">{t("operator.hours.failed", { count: payoutsFailed })}</div>}
            </>
          ),
          corner: "time",
        },
        ...(reports
          ? [
              {
                key: "cost",
                title: t("operator.hours.cost"),
                end: true,
                cell: ({ tariffs }: Hour) =>
                  tariffs === 0 ? <span className="quiet">–</span> : <Money brl={tariffs} />,
              },
            ]
          : []),
      ]}
    />
  );
}

/** A sum with how many it is of; a dash where there was none. */
function Counted({ count, brl }: { count: number; brl: number }) {
  if (count === 0) return <span className="quiet">–</span>;
  return (
    <>
      <Money brl={brl} /> <span className="quiet num">({count})</span>
    </>
  );
}
