import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answers } from "../generated/answers.ts";
import { Boundary } from "../parts/boundary.tsx";
import { useChange } from "../parts/change.ts";
import { Failure } from "../parts/feedback.tsx";
import { useAddress } from "../parts/filters.tsx";
import { showClock } from "../parts/instant.ts";
import { callConsole } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";
import { withTexts } from "../texts/language.ts";

const PacePanel = lazy(() => withTexts(() => import("./pace-panel.tsx"), "screens"));

/** How often a run's counts are read while it goes on, ms. */
const AGAIN_MS = 2_000;

/** Whether traffic runs for the account; undefined where this person cannot start it. */
function useTraffic(): Answers["readTraffic"]["running"] | undefined {
  const { session, account, may } = useSession();
  const query = useQuery({
    queryKey: [account.accountId, "traffic"],
    queryFn: () => callConsole<Answers["readTraffic"]>("GET", "/traffic", undefined, undefined, account.accountId),
    enabled: session.environment === "sandbox" && may("PIX:WRITE"),
    refetchInterval: ({ state }) => (state.data?.running ? AGAIN_MS : false),
  });
  return query.data?.running;
}

/** The button that starts traffic; nothing where it cannot be started. Its place is kept while traffic runs. */
export function MakeTraffic() {
  const { t } = useTranslation();
  const { session, may } = useSession();
  const address = useAddress();
  const run = useTraffic();
  if (session.environment !== "sandbox" || !may("PIX:WRITE")) return null;
  return (
    <Button
      variant="default"
      disabled={run === undefined}
      className={run ? "unseen" : undefined}
      onClick={() => address.change({ traffic: "1" })}
    >
      {t("traffic.make")}
    </Button>
  );
}

/** The panel is loaded when it is opened: Home is shown without what panels are made of. */
export function TrafficPanel() {
  const address = useAddress();
  const isOpened = address.get("traffic") !== null;
  const [wasOpened, setWasOpened] = useState(isOpened);
  if (isOpened && !wasOpened) setWasOpened(true);
  return (
    <Boundary>
      <Suspense fallback={null}>{wasOpened && <PacePanel />}</Suspense>
    </Boundary>
  );
}

/** The counts of the current run, and the button that ends it. */
export function TrafficRunning() {
  const { t, i18n } = useTranslation();
  const { session, account } = useSession();
  const run = useTraffic();
  const end = useChange(() => callConsole<void>("DELETE", "/traffic", undefined, session.csrfToken, account.accountId));
  if (!run) return null;
  const { payments, refunds, withdrawals, contests, refused } = run.done;
  return (
    <div className="traffic-place">
      <div className="note traffic">
        <span>
          <strong>
            {t("traffic.running", { perMinute: run.perMinute, time: showClock(new Date(run.endsAt), i18n.language) })}
          </strong>{" "}
          <span className="even-digits">{t("traffic.done", { payments, refunds, withdrawals, contests })}</span>
          {refused > 0 && ` ${t("traffic.refused", { count: refused })}`}
        </span>
        <Button variant="default" size="xs" loading={end.isPending} onClick={() => end.mutate()}>
          {t("traffic.stop")}
        </Button>
        {end.error && <Failure error={end.error} />}
      </div>
    </div>
  );
}
