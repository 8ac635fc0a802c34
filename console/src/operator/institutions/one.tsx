import { Button } from "@mantine/core";
import { addBrl, type operator } from "@pixgate/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl } from "../../parts/amount.ts";
import { useChange } from "../../parts/change.ts";
import { showDocument } from "../../parts/document.ts";
import { Facts } from "../../parts/facts.tsx";
import { Failure } from "../../parts/feedback.tsx";
import { showDayTime, showElapsed, showWhen } from "../../parts/instant.ts";
import { Section } from "../../parts/page.tsx";
import { State } from "../../parts/state.tsx";
import { SureButton } from "../../parts/sure.tsx";
import { Moment } from "../../parts/time.tsx";
import { useSession } from "../../session/session.tsx";
import { AGAIN_MS, useActivity } from "../reads.ts";
import { institutionShape, institutionWord, wordOf } from "../words.ts";
import { Abilities } from "./abilities.tsx";
import { NotificationAddress } from "./address.tsx";
import { useBankName } from "./bank-name.ts";
import { Checks, Tested } from "./checks.tsx";
import { failureWords } from "./failure.ts";
import { HealthHistory } from "./health.tsx";
import { InstitutionHours } from "./hours.tsx";
import { useIllSince } from "./ill-since.ts";
import { Outage } from "./outage.tsx";
import { placeOf, showLatency, showShare } from "./show.ts";

type Institution = operator.OperatorInstitution;
type Props = { one: Institution; all: readonly Institution[] };

/** An institution: first how it is and what can be done, then what happened, last what it is set to. */
export function One({ one, all }: Props) {
  return (
    <>
      <h2 className="headline no-margin">{one.name}</h2>
      <Standing one={one} all={all} />
      <Acts one={one} all={all} />
      <Outage id={one.id} name={one.name} />
      <HealthHistory id={one.id} isIll={isIll(one)} />
      <InstitutionHours id={one.id} tariffs={one.capabilities?.tariffs === true} />
      <Settings one={one} all={all} />
      <Abilities one={one} />
      <NotificationAddress id={one.id} name={one.name} provider={one.provider} />
      <Checks one={one} />
    </>
  );
}

/** How it is and since when; where it does not answer well also why, and what happens meanwhile. */
function Standing({ one, all }: Props) {
  const { t, i18n } = useTranslation();
  const { id, status, environment } = one;
  const since = useIllSince(one);
  const others = all.filter(
    (other) =>
      other.id !== id && other.environment === environment && other.status === "active" && other.health === "up",
  );
  const names = new Intl.ListFormat(i18n.language).format(others.map(({ name }) => name));
  return (
    <>
      <p>
        <State shape={institutionShape(one)}>
          <strong>{institutionWord(one)}</strong>
        </State>{" "}
        {status === "active" && (
          <span className="quiet">
            {t("operator.institutions.sinceFor", {
              when: showDayTime(since, i18n.language),
              elapsed: showElapsed(Date.now() - since.getTime(), i18n.language),
            })}
          </span>
        )}
      </p>
      {isIll(one) && (
        <div className="note">
          <Why one={one} />
          <p>
            {t("operator.institutions.probes")}{" "}
            {others.length > 0
              ? t("operator.institutions.others", { count: others.length, names })
              : t("operator.institutions.noOthers")}
          </p>
          <WaitHere one={one} />
        </div>
      )}
    </>
  );
}

const isIll = ({ status, health }: Institution): boolean => status === "active" && health !== "up";

/** Why the last call that had no answer had none: the one thing that says whom to call. */
function Why({ one: { lastFailure } }: { one: Institution }) {
  const { t, i18n } = useTranslation();
  // A process of 0.1.0, during an upgrade, does not say it; one that has just started has not called yet.
  if (!lastFailure) return null;
  const when = showWhen(new Date(lastFailure.at), i18n.language, true);
  return (
    <p className="strong">{t("operator.institutions.lastFailure", { when, why: failureWords(lastFailure.reason) })}</p>
  );
}

/** Withdrawals that are read at once; of more the sentence says that there are more. */
const SHOWN = 100;

/** Withdrawals that the bank was sent and has not answered, and what they come to. */
function WaitHere({ one: { id, capabilities } }: { one: Institution }) {
  const { t } = useTranslation();
  const { operator } = useSession();
  const { data } = useQuery({
    queryKey: ["operator", "institution-withdrawals", id],
    queryFn: () => operator.withdrawals.list({ status: "processing", institutionId: id, limit: SHOWN }).page(),
    enabled: capabilities?.payouts !== null,
    refetchInterval: AGAIN_MS,
  });
  if (data === undefined) return null;
  const { items, nextCursor } = data;
  if (items.length === 0) return <p>{t("operator.institutions.noneWaitHere")}</p>;
  const sum = showBrl(addBrl(0, ...items.map(({ amount }) => amount)));
  return (
    <p>
      <Link href={`/operator/withdrawals?status=processing&institution=${id}`} className="link">
        {t(nextCursor ? "operator.institutions.manyWaitHere" : "operator.institutions.waitHere", {
          count: items.length,
          sum,
        })}
      </Link>
    </p>
  );
}

/** What somebody does at night: try it, stop its withdrawals, take it out of the route; beside each what it does. */
function Acts({ one, all }: Props) {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const { id, name, status, capabilities } = one;
  const change = useChange((to: Institution["status"]) => operator.institutions.update(id, { status: to }));
  const test = useMutation({ mutationFn: () => operator.institutions.test(id) });
  const isAdmin = session.installationRole === "admin";
  const mayStop = (isAdmin || session.installationRole === "finance") && capabilities?.payouts !== null;
  if (status === "retired" || !(isAdmin || mayStop)) return null;
  const isActive = status === "active";
  // Without it there is nothing to charge or pay through.
  const isLast = isActive && !all.some((other) => other.id !== id && other.status === "active");
  const rest = t(isIll(one) ? "operator.institutions.restWaits" : "operator.institutions.restEnds");
  const ask = (to: Institution["status"]) => ({ ...change, error: null, mutate: () => change.mutate(to) });
  return (
    <>
      {change.error && <Failure error={change.error} />}
      <div className="act-rows">
        {isAdmin && (
          <Act does={t("operator.institutions.testText")}>
            <Button size="sm" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
              {t("operator.institutions.test")}
            </Button>
          </Act>
        )}
        {mayStop && (
          <Act does={t("operator.institutions.stopText")}>
            <Button component={Link} href={`/operator/payouts?brake=institution:${id}`} size="sm" variant="default">
              {t("operator.verdict.stopHere")}
            </Button>
          </Act>
        )}
        {isAdmin && !isLast && (
          <Act
            does={isActive ? `${t("operator.institutions.drainText")} ${rest}` : t("operator.institutions.undrainText")}
          >
            <Button
              size="sm"
              variant="default"
              loading={change.isPending}
              onClick={() => change.mutate(isActive ? "inactive" : "active")}
            >
              {t(isActive ? "operator.institutions.drain" : "operator.institutions.undrain")}
            </Button>
          </Act>
        )}
      </div>
      {test.error && <Failure error={test.error} />}
      {test.data && <Tested test={test.data} />}
      {isAdmin && isLast && (
        <SureButton
          text={t("operator.institutions.drain")}
          note={`${t("operator.institutions.drainLast")} ${rest}`}
          sure={t("operator.institutions.drainSure", { name })}
          change={ask("inactive")}
        />
      )}
      {isAdmin && status === "inactive" && (
        <SureButton
          text={t("operator.institutions.retire")}
          note={t("operator.institutions.retireText")}
          sure={t("operator.institutions.retireSure", { name })}
          change={ask("retired")}
        />
      )}
    </>
  );
}

/** A button, and what it does. */
function Act({ does, children }: { does: string; children: ReactNode }) {
  return (
    <>
      {children}
      <p className="small second">{does}</p>
    </>
  );
}

function Settings({ one, all }: Props) {
  const { t } = useTranslation();
  const bankOf = useBankName();
  const hour = useActivity().data?.institutions.find(({ institutionId }) => institutionId === one.id);
  const place = placeOf(one, all);
  return (
    <Section title={t("operator.institutions.settings")}>
      <Facts
        facts={[
          [t("operator.institutions.provider"), bankOf(one)],
          [t("operator.institutions.environment"), wordOf("environment", one.environment)],
          [t("operator.institutions.place"), place && t("operator.institutions.placeOf", place)],
          [t("operator.institutions.share"), one.share === null ? null : showShare(one.share)],
          [t("operator.institutions.capacity"), one.capacityPerSecond ?? t("operator.institutions.noCapacity")],
          [
            t("operator.institutions.hour"),
            hour &&
              t(hour.answers === 0 ? "operator.institutions.hourNone" : "operator.institutions.hourText", {
                count: hour.answers,
                share: showShare(hour.share),
                median: showLatency(hour.p50Ms),
                p95: showLatency(hour.p95Ms),
              }),
          ],
          ["CNPJ", one.cnpj && showDocument(one.cnpj)],
          [
            t("operator.institutions.certificateEnd"),
            one.certificateExpiresAt && <Moment key="end" at={one.certificateExpiresAt} />,
          ],
          [
            t("operator.accounts.id"),
            <span key="id" className="mono">
              {one.id}
            </span>,
          ],
        ]}
      />
    </Section>
  );
}
