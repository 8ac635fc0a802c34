import { Button } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { merchant } from "@pixgate/sdk";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { ChargeTable } from "../charges/table.tsx";
import { showBrl } from "../parts/amount.ts";
import { Empty, NotRead, PartName, Read, useUnread } from "../parts/feedback.tsx";
import { useHasPassed } from "../parts/has-passed.ts";
import { Icon } from "../parts/icon.tsx";
import { dayOf, hourOf, showClock, showWeekdayInFull } from "../parts/instant.ts";
import { BigMoney, Money } from "../parts/money.tsx";
import { Page, Section } from "../parts/page.tsx";
import { SteadyColumns } from "../parts/table.tsx";
import { useSession } from "../session/session.tsx";
import { Hours } from "./hours.tsx";
import { FurtherNeeds, NeedsYou, useNeeds, useWaiting } from "./needs-you.tsx";
import { MakeTraffic, TrafficPanel, TrafficRunning } from "./traffic.tsx";

/** A line without words, as high as one with them. */
const NO_LINE = "\u00a0";
const WEEK_MS = 7 * 86_400_000;
/** How long a phone waits for what needs the person before it shows the newest charges, milliseconds. */
const MOST_WAIT_MS = 1_500;

/** Received today, what needs the person, the balances, and the newest charges. */
export default function Home() {
  const { t } = useTranslation();
  const { together, scope, may } = useSession();
  const isPhone = useMediaQuery("(max-width: 760px)", undefined, { getInitialValueInEffect: false });
  const needs = useNeeds();
  const hasWaited = useHasPassed(MOST_WAIT_MS);
  const recent = useQuery({
    queryKey: [...scope, "charges", "recent"],
    queryFn: () => together.transactions.list({ type: "payment", limit: 8 }).page(),
  });
  // Without a charge of its own, a wallet has nothing that a day could be compared with, though transfers may have filled it.
  const isNew = recent.data?.items.length === 0;
  const error = useUnread(recent);
  const others = [useUnread(useWaiting()), useUnread(useDays()), useUnread(useBalance())];
  const isUnread = error !== null && !others.includes(null);
  const traffic = (
    <span className={recent.data === undefined ? "unseen" : undefined}>
      <MakeTraffic />
    </span>
  );
  return (
    <Page
      title={t("nav.home")}
      acts={
        // What an account without charges begins with stands below the sentence that says so.
        may("PIX:WRITE") && (
          <>
            {!isPhone && !isNew && traffic}
            {!isPhone && may("WITHDRAWAL:WRITE") && (
              <Button component={Link} variant="default" href="/withdrawals?new=1">
                {t("home.withdraw")}
              </Button>
            )}
            {!isNew && <NewCharge />}
            {/* Its place is kept: before the other it would be a hole on a phone. */}
            {isPhone && !isNew && traffic}
          </>
        )
      }
    >
      <TrafficPanel />
      {isUnread ? (
        <UnreadHome error={error} />
      ) : isPhone ? (
        <>
          <ReceivedToday isNew={isNew} />
          {!(isNew && needs?.length === 0) && <NeedsYou needs={needs} most={1} />}
        </>
      ) : (
        <div className="split home-top">
          <ReceivedToday isNew={isNew} />
          <NeedsYou needs={needs} />
        </div>
      )}
      {/* On a phone all this stands below what needs somebody, and comes after it, so as not to be moved by it. */}
      {!isUnread && (!isPhone || needs !== null || hasWaited || error !== null) && (
        <>
          <Figures isNew={isNew} />
          {isPhone && <FurtherNeeds needs={needs ?? []} />}
          {!isNew && <Recent query={recent} />}
          <TrafficRunning />
        </>
      )}
    </Page>
  );
}

function NewCharge() {
  const { t } = useTranslation();
  return (
    <Button component={Link} href="/charges?new=1" leftSection={<Icon name="plus" />}>
      {t("charges.new")}
    </Button>
  );
}

/** In place of a day of which nothing could be read: what that does not mean for the money, and what to do. */
function UnreadHome({ error }: { error: unknown }) {
  const { t } = useTranslation();
  return (
    <NotRead error={error}>
      {(retry) => (
        <>
          <h2 className="headline">{t("home.unread")}</h2>
          <p>{t("home.unreadText")}</p>
          <div className="flow">
            <Button variant="default" onClick={retry}>
              {t("feedback.retry")}
            </Button>
            <Button component={Link} variant="default" href="/charges">
              {t("nav.charges")}
            </Button>
            <Button component={Link} variant="default" href="/statement">
              {t("nav.statement")}
            </Button>
          </div>
        </>
      )}
    </NotRead>
  );
}

function Recent({ query }: { query: UseQueryResult<{ readonly items: readonly merchant.Transaction[] }> }) {
  const { t } = useTranslation();
  return (
    <Section
      title={t("home.recent")}
      end={
        <Link href="/charges" className="act">
          {t("home.all")}
        </Link>
      }
    >
      <Read query={query} lines={8} areRows>
        {({ items }) => (
          <SteadyColumns value={true}>
            <ChargeTable charges={items} size="short" inPlace />
          </SteadyColumns>
        )}
      </Read>
    </Section>
  );
}

/** Today, the same weekday a week ago until the same hour, and that day as a whole. */
function useDays() {
  const { together, scope } = useSession();
  return useQuery({
    queryKey: [...scope, "days"],
    queryFn: async () => {
      const now = new Date();
      const before = new Date(now.getTime() - WEEK_MS);
      const date = dayOf(before);
      const [today, sameHour, wholeDay] = await Promise.all([
        together.account.summary({ date: dayOf(now) }),
        together.account.summary({ date, until: before.toISOString() }),
        together.account.summary({ date }),
      ]);
      return { now, before, today, sameHour: sameHour.received.amount, wholeDay };
    },
  });
}

/** `isNew`: there never was a charge. Says how to make one in place of a comparison and a chart of nothing. */
function ReceivedToday({ isNew }: { isNew: boolean }) {
  const { t, i18n } = useTranslation();
  const { session, may } = useSession();
  const query = useDays();
  const first = may("PIX:WRITE") && (
    <div className="flow">
      <NewCharge />
      <MakeTraffic />
    </div>
  );
  return (
    <div className={isNew ? "received of-nothing" : "received"}>
      <PartName value={t("home.receivedToday")}>
        <Read query={query} lines={4}>
          {({ now, before, today, sameHour, wholeDay }) => (
            <div>
              <div className="small second">{t("home.received", { time: showClock(now, i18n.language) })}</div>
              <BigMoney brl={today.received.amount} />
              {isNew ? (
                <Empty act={first}>{t(session.environment === "sandbox" ? "home.empty" : "charges.empty")}</Empty>
              ) : (
                <>
                  <div className="small second">
                    {sameHour === 0
                      ? t("home.nothingBefore")
                      : t("home.comparison", {
                          share: showShare(today.received.amount / sameHour - 1, i18n.language, "exceptZero"),
                          day: showWeekdayInFull(before, i18n.language),
                          amount: showBrl(sameHour),
                        })}
                  </div>
                  <Hours day={dayOf(now)} today={amountsOf(today)} before={amountsOf(wholeDay)} hour={hourOf(now)} />
                </>
              )}
            </div>
          )}
        </Read>
      </PartName>
    </div>
  );
}

const amountsOf = ({ received }: { readonly received: { readonly hours: readonly { readonly amount: number }[] } }) =>
  received.hours.map(({ amount }) => amount);

const showShare = (share: number, language: string, signDisplay: "auto" | "exceptZero" = "auto"): string =>
  share.toLocaleString(language, { style: "percent", maximumFractionDigits: 1, signDisplay });

function useBalance() {
  const { together, scope } = useSession();
  return useQuery({ queryKey: [...scope, "balance"], queryFn: () => together.account.get() });
}

function Figures({ isNew }: { isNew: boolean }) {
  const { t, i18n } = useTranslation();
  const balance = useBalance();
  const today = useDays().data?.today;
  return (
    <div className="figures-place">
      <PartName value={t("home.balance")}>
        <Read query={balance} lines={4}>
          {({ balance: { available, held } }) => (
            <div className="figures">
              <Link href="/statement?balance=available">
                <span className="label">{t("home.available")}</span>
                <strong>
                  <Money brl={available.amountFormatted} />
                </strong>
                <span className="small quiet">
                  {isNew && available.amountFormatted === 0 ? NO_LINE : t("home.why")}
                </span>
              </Link>
              <Link href="/statement?balance=held&lines=held">
                <span className="label">{t("home.held")}</span>
                <strong>
                  <Money brl={held.amountFormatted} />
                </strong>
                <span className="small quiet">{held.amountFormatted === 0 ? NO_LINE : t("home.whyHeld")}</span>
              </Link>
              <Link href="/statement?period=today">
                <span className="label">{t("home.payments")}</span>
                <strong className="num">{today?.received.count ?? "–"}</strong>
                <span className="small quiet">{t("home.today")}</span>
              </Link>
              <Link href="/charges?created=today">
                <span className="label">{t("home.conversion")}</span>
                <strong className="num">
                  {today && today.charges.created > 0
                    ? showShare(today.charges.paid / today.charges.created, i18n.language)
                    : "–"}
                </strong>
                <span className="small quiet">
                  {today && t(today.charges.created === 0 ? "home.ofNone" : "home.ofCharges", today.charges)}
                </span>
              </Link>
            </div>
          )}
        </Read>
      </PartName>
    </div>
  );
}
