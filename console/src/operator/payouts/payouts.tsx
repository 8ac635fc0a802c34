import "../operator.css";
import { Button } from "@mantine/core";
import { addBrl, type operator, PENDING_REASONS, type PixgateOperator } from "@pixgate/sdk";
import { queryOptions, useQueries, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl } from "../../parts/amount.ts";
import { Failure, Loading, Read } from "../../parts/feedback.tsx";
import { useAddress } from "../../parts/filters.tsx";
import { showElapsed } from "../../parts/instant.ts";
import { Page, Section } from "../../parts/page.tsx";
import { Mark } from "../../parts/state.tsx";
import { Moment } from "../../parts/time.tsx";
import { useSession } from "../../session/session.tsx";
import { AGAIN_MS, useBrakes, useNames } from "../reads.ts";
import { personOf, wordOf } from "../words.ts";
import { BrakeForm, readTarget } from "./brake-form.tsx";

/** Withdrawals that are read to count what waits. */
const COUNTED = 100;

/** Then only a brake that stays on after it is of use. */
const isAllStopped = (brakes: readonly operator.Brake[] = []): boolean => brakes.some(({ scope }) => scope === "all");

/** The brakes in one place, and what waits behind them. */
export default function Payouts() {
  const { t } = useTranslation();
  const { session } = useSession();
  const address = useAddress();
  const query = useBrakes();
  const mayBrake = session.installationRole === "finance" || session.installationRole === "admin";
  const target = readTarget(address.get("brake"));
  return (
    <Page
      title={t("nav.operators.payouts")}
      acts={
        mayBrake && (
          <Button
            color="red"
            variant="outline"
            onClick={() => address.change({ brake: isAllStopped(query.data) ? "institution" : "all" })}
          >
            {t("operator.brakes.set")}
          </Button>
        )
      }
    >
      <Read query={query}>{(brakes) => <Brakes brakes={brakes} mayBrake={mayBrake} />}</Read>
      <div className="split payouts-behind">
        <Behind />
        <Lifted />
      </div>
      {target !== null && <BrakeForm target={target} onClose={() => address.change({ brake: null, lift: null })} />}
    </Page>
  );
}

function Brakes({ brakes, mayBrake }: { brakes: readonly operator.Brake[]; mayBrake: boolean }) {
  const { t } = useTranslation();
  const nameOf = useNames();
  const address = useAddress();
  const isAll = isAllStopped(brakes);
  return (
    <>
      <div className="verdict" role="status">
        <Mark shape={brakes.length === 0 ? "done" : "needs"} />
        <p className="verdict-answer">
          {brakes.length === 0
            ? t("operator.brakes.free")
            : isAll
              ? t("operator.brakes.allStopped")
              : t("operator.brakes.on", { count: brakes.length })}
        </p>
      </div>
      {brakes.map(({ id, scope, targetId, reason, setBy, since, waiting }) => (
        <div key={id ?? scope} className="row-line">
          <Mark shape="needs" />
          <span>
            <strong>
              {t(`operator.brakes.scope.${scope}`)} {nameOf(targetId)}
            </strong>
            <span className="small quiet block">
              {t("operator.brakes.by", { name: personOf(setBy ?? "") })}, {since && <Moment at={since} />}: “{reason}”
            </span>
            <BehindBrake id={id} waiting={waiting} />
          </span>
          {mayBrake && id !== undefined && (
            <span className="row-end">
              <Button
                size="xs"
                variant="default"
                onClick={() =>
                  address.change({ brake: targetId === undefined ? scope : `${scope}:${targetId}`, lift: id })
                }
              >
                {t("operator.brakes.lift")}
              </Button>
            </span>
          )}
        </div>
      ))}
    </>
  );
}

/** What this brake holds back, whatever others hold it too; opens the list of it. */
function BehindBrake({ id, waiting }: { id: string | undefined; waiting: operator.Brake["waiting"] }) {
  const { t } = useTranslation();
  if (id === undefined || waiting === undefined) return null;
  const { count, amount, more } = waiting;
  if (count === 0) return <span className="small block">{t("operator.brakes.nothingWaits")}</span>;
  return (
    <span className="small block">
      <Link href={`/operator/withdrawals?brake=${id}`} className="link">
        {t(more ? "operator.brakes.moreWait" : "operator.brakes.waits", { count, sum: showBrl(amount) })}
      </Link>
    </span>
  );
}

/** What has not left, by the reason that holds it. */
function Behind() {
  const { t } = useTranslation();
  const { operator } = useSession();
  const queries = useQueries({ queries: REASONS.map((reason) => heldQuery(operator, reason)) });
  const pages = queries.flatMap(({ data }) => data ?? []);
  // What is not read whole has no sum.
  const isWhole = pages.length === REASONS.length && pages.every(({ nextCursor }) => nextCursor === null);
  const waiting = pages.flatMap(({ items }) => items);
  const empty = REASONS.filter((_, i) => isEmpty(queries[i]?.data)).map((one) => wordOf("pending", one).toLowerCase());
  const sum = showBrl(addBrl(0, ...waiting.map(({ amount }) => amount)));
  return (
    <Section
      title={t("operator.brakes.behind")}
      end={isWhole && <span className="num">{t("operator.brakes.waitsAll", { count: waiting.length, sum })}</span>}
    >
      {REASONS.filter((_, i) => !isEmpty(queries[i]?.data)).map((reason) => (
        <Held key={reason} reason={reason} />
      ))}
      {empty.length > 0 && (
        <p className="row-line">
          <Mark shape={empty.length === REASONS.length ? "done" : "ended"} />
          <span className="second">
            {empty.length === REASONS.length
              ? t("operator.brakes.nobodyAtAll")
              : t("operator.brakes.nobodyWaits", { list: empty.join(" · ") })}
          </span>
        </p>
      )}
    </Section>
  );
}

const isEmpty = (page: { readonly items: readonly unknown[] } | undefined): boolean => page?.items.length === 0;

type PendingReason = (typeof PENDING_REASONS)[number];
/** The brakes first: this is their screen. */
const REASONS: readonly PendingReason[] = ["paused", ...PENDING_REASONS.filter((one) => one !== "paused")];
/** Why a bank holds what it has been sent. */
const AT_BANK: readonly PendingReason[] = ["awaiting_bank_approval", "under_analysis"];

const statusOf = (reason: PendingReason) => (AT_BANK.includes(reason) ? "processing" : "pending");

const heldQuery = (operator: PixgateOperator, reason: PendingReason) =>
  queryOptions({
    queryKey: ["operator", "held", reason],
    queryFn: () =>
      operator.withdrawals.list({ status: statusOf(reason), pendingReason: reason, limit: COUNTED }).page(),
    refetchInterval: AGAIN_MS,
  });

function Held({ reason }: { reason: PendingReason }) {
  const { operator } = useSession();
  const { t } = useTranslation();
  const query = useQuery(heldQuery(operator, reason));
  if (query.data === undefined) {
    return query.error ? <Failure error={query.error} retry={() => void query.refetch()} /> : <Loading lines={1} />;
  }
  const { items, nextCursor } = query.data;
  return (
    <Link href={`/operator/withdrawals?status=${statusOf(reason)}&reason=${reason}`} className="row-line">
      <Mark shape="waiting" />
      <span>
        {wordOf("pending", reason)}
        <span className="small quiet block">{t(`operator.pendingText.${reason}`)}</span>
      </span>
      <span className="row-end">
        <strong className="num block">{nextCursor === null ? items.length : `${COUNTED}+`}</strong>
        {nextCursor === null && (
          <span className="small quiet">{showBrl(addBrl(...items.map(({ amount }) => amount)))}</span>
        )}
      </span>
    </Link>
  );
}

function Lifted() {
  const { t, i18n } = useTranslation();
  const { operator } = useSession();
  const nameOf = useNames();
  const lasted = (since: string, until: string) =>
    showElapsed(new Date(until).getTime() - new Date(since).getTime(), i18n.language);
  const query = useQuery({
    queryKey: ["operator", "brakes", "lifted"],
    queryFn: () => operator.brakes.list({ lifted: true, limit: 10 }).page(),
  });
  return (
    <Section title={t("operator.brakes.earlier")}>
      <Read query={query} lines={2}>
        {({ items }) => {
          const over = items.filter(({ liftedAt }) => liftedAt !== undefined);
          if (over.length === 0) return <p className="row-line small quiet">{t("operator.brakes.noneEarlier")}</p>;
          return over.map(({ id, scope, targetId, since, setBy, reason, liftedAt, liftedBy, liftReason }) => (
            <div key={id} className="row-line">
              <Mark shape="ended" />
              <span>
                {t(`operator.brakes.scope.${scope}`)} {nameOf(targetId)}
                <span className="small quiet block">
                  {t("operator.brakes.setBy", { name: personOf(setBy ?? "") })}: “{reason}” ·{" "}
                  {t("operator.brakes.liftedBy", { name: personOf(liftedBy ?? "") })}: “{liftReason}”
                </span>
              </span>
              <span className="row-end small quiet">
                {since && <Moment at={since} />}
                {since && liftedAt && (
                  <span className="block">{t("operator.brakes.lasted", { elapsed: lasted(since, liftedAt) })}</span>
                )}
              </span>
            </div>
          ));
        }}
      </Read>
    </Section>
  );
}
