import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { ChargeTable } from "../charges/table.tsx";
import { showBrl } from "../parts/amount.ts";
import { Empty, Read } from "../parts/feedback.tsx";
import { Icon } from "../parts/icon.tsx";
import { dayOf, daysBefore, hourOf, showClock, showWeekdayInFull, startOfDay } from "../parts/instant.ts";
import { BigMoney, Money } from "../parts/money.tsx";
import { Page, Section } from "../parts/page.tsx";
import { useSession } from "../session/session.tsx";
import { Hours } from "./hours.tsx";
import { NeedsYou } from "./needs-you.tsx";
import { type Received, readReceived } from "./received.ts";
import { MakeTraffic, TrafficPanel, TrafficRunning } from "./traffic.tsx";

const WEEK_MS = 7 * 86_400_000;

/** Received today, what needs a person, what there is, what came last. */
export default function Home() {
  const { t } = useTranslation();
  const { session, pixgate, scope, may } = useSession();
  const recent = useQuery({
    queryKey: [...scope, "charges", "recent"],
    queryFn: () => pixgate.transactions.list({ type: "payment", limit: 8 }).page(),
  });
  return (
    <Page
      title={t("nav.home")}
      acts={
        may("PIX:WRITE") && (
          <>
            {recent.data !== undefined && recent.data.items.length > 0 && <MakeTraffic />}
            <Button component={Link} href="/charges?new=1" leftSection={<Icon name="plus" />}>
              {t("charges.new")}
            </Button>
          </>
        )
      }
    >
      <TrafficRunning />
      <TrafficPanel />
      <div className="split">
        <ReceivedToday />
        <NeedsYou />
      </div>
      <Figures />
      <Section
        title={t("home.recent")}
        end={
          <Link href="/charges" className="act">
            {t("home.all")}
          </Link>
        }
      >
        <Read query={recent} lines={8}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty act={<MakeTraffic />}>
                {t(session.environment === "sandbox" ? "home.empty" : "charges.empty")}
              </Empty>
            ) : (
              <ChargeTable charges={items} short />
            )
          }
        </Read>
      </Section>
    </Page>
  );
}

/** Today, the same weekday a week ago until the same hour, and that day as a whole. */
function useReceived() {
  const { pixgate, scope } = useSession();
  return useQuery({
    queryKey: [...scope, "received"],
    queryFn: async () => {
      const now = new Date();
      const before = new Date(now.getTime() - WEEK_MS);
      const [today, sameHour, wholeDay] = await Promise.all([
        readReceived(pixgate, dayOf(now), now),
        readReceived(pixgate, dayOf(before), before),
        readReceived(pixgate, dayOf(before), null),
      ]);
      return { now, today, sameHour, wholeDay };
    },
  });
}

function ReceivedToday() {
  const { t, i18n } = useTranslation();
  const query = useReceived();
  return (
    <Read query={query} lines={7}>
      {({ now, today, sameHour, wholeDay }) => (
        <div>
          <div className="small second">{t("home.received", { time: showClock(now, i18n.language) })}</div>
          {today === null ? (
            <p className="second">{t("home.tooMany")}</p>
          ) : (
            <>
              <BigMoney brl={today.total} />
              <Comparison today={today} before={sameHour} now={now} />
              <Hours today={today.hours} before={wholeDay?.hours ?? null} hour={hourOf(now)} />
            </>
          )}
        </div>
      )}
    </Read>
  );
}

function Comparison({ today, before, now }: { today: Received; before: Received | null; now: Date }) {
  const { t, i18n } = useTranslation();
  if (before === null || before.total === 0) return null;
  const share = ((today.total - before.total) / before.total).toLocaleString(i18n.language, {
    style: "percent",
    maximumFractionDigits: 1,
    signDisplay: "exceptZero",
  });
  const day = showWeekdayInFull(startOfDay(daysBefore(dayOf(now), 7)), i18n.language);
  return <div className="small second">{t("home.comparison", { share, day, amount: showBrl(before.total) })}</div>;
}

function Figures() {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const balance = useQuery({ queryKey: [...scope, "balance"], queryFn: () => pixgate.account.get() });
  const received = useReceived();
  return (
    <Read query={balance} lines={2}>
      {({ balance: { available, held } }) => (
        <div className="figures">
          <Link href="/statement">
            <span className="label">{t("home.available")}</span>
            <strong>
              <Money brl={available.amountFormatted} />
            </strong>
            <span className="small quiet">{t("home.why")}</span>
          </Link>
          <Link href="/statement?balance=held">
            <span className="label">{t("home.held")}</span>
            <strong>
              <Money brl={held.amountFormatted} />
            </strong>
            <span className="small quiet">{t("home.whyHeld")}</span>
          </Link>
          <Link href="/charges?state=completed&created=today">
            <span className="label">{t("home.payments")}</span>
            <strong className="num">{received.data?.today?.payments ?? "–"}</strong>
            <span className="small quiet">{t("home.today")}</span>
          </Link>
        </div>
      )}
    </Read>
  );
}
