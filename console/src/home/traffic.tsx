import { Button, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useChange } from "../parts/change.ts";
import { Failure } from "../parts/feedback.tsx";
import { useAddress } from "../parts/filters.tsx";
import { FormPanel, fieldOf } from "../parts/form-panel.tsx";
import { showClock } from "../parts/instant.ts";
import { callConsole } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";

/** How often a run's counts are read while it goes on, ms. */
const AGAIN_MS = 2_000;
const MINUTES = [1, 5, 15, 60] as const;
const PER_MINUTE = [6, 20, 60, 120] as const;

type Run = {
  readonly perMinute: number;
  readonly endsAt: string;
  readonly done: Readonly<Record<"payments" | "withdrawals" | "refunds" | "contests" | "refused", number>>;
};
type Answer = { readonly running: Run | null };

/** Whether traffic is being made for the account; undefined where this person can make none. */
function useTraffic(): Run | null | undefined {
  const { session, account, may } = useSession();
  const query = useQuery({
    queryKey: [account.accountId, "traffic"],
    queryFn: () => callConsole<Answer>("GET", "/traffic", undefined, undefined, account.accountId),
    enabled: session.environment === "sandbox" && may("PIX:WRITE"),
    refetchInterval: ({ state }) => (state.data?.running ? AGAIN_MS : false),
  });
  return query.data?.running;
}

/** The button that asks for traffic; nothing where there can be none, or some is being made. */
export function MakeTraffic() {
  const { t } = useTranslation();
  const address = useAddress();
  if (useTraffic() !== null) return null;
  return (
    <Button variant="default" onClick={() => address.change({ traffic: "1" })}>
      {t("traffic.make")}
    </Button>
  );
}

/** Pace of a run, asked for in a panel. */
export function TrafficPanel() {
  const { t } = useTranslation();
  const { session, account } = useSession();
  const address = useAddress();
  const choices = (values: readonly number[], key: string) =>
    values.map((value) => ({ value: String(value), label: t(key, { count: value }) }));
  return (
    <FormPanel
      title={t("traffic.make")}
      opened={address.get("traffic") !== null}
      onClose={() => address.change({ traffic: null })}
      read={(form) => ({ minutes: Number(fieldOf(form, "minutes")), perMinute: Number(fieldOf(form, "perMinute")) })}
      save={(pace) => callConsole<Answer>("POST", "/traffic", pace, session.csrfToken, account.accountId)}
      button={{ text: t("traffic.start") }}
    >
      <p className="second">{t("traffic.text")}</p>
      <NativeSelect
        name="minutes"
        label={t("traffic.howLong")}
        data={choices(MINUTES, "traffic.minutes")}
        defaultValue="5"
      />
      <NativeSelect
        name="perMinute"
        label={t("traffic.pace")}
        data={choices(PER_MINUTE, "traffic.perMinute")}
        defaultValue="20"
      />
      <p className="note">{t("traffic.note")}</p>
    </FormPanel>
  );
}

/** What the run that goes on has done, and the button that ends it. */
export function TrafficRunning() {
  const { t, i18n } = useTranslation();
  const { session, account } = useSession();
  const run = useTraffic();
  const end = useChange(() => callConsole<void>("DELETE", "/traffic", undefined, session.csrfToken, account.accountId));
  if (!run) return null;
  const { payments, refunds, withdrawals, contests, refused } = run.done;
  return (
    <div className="note traffic" style={{ marginBottom: 24 }}>
      <span>
        <strong>
          {t("traffic.running", { perMinute: run.perMinute, time: showClock(new Date(run.endsAt), i18n.language) })}
        </strong>{" "}
        <span className="num">{t("traffic.done", { payments, refunds, withdrawals, contests })}</span>
        {refused > 0 && ` ${t("traffic.refused", { count: refused })}`}
      </span>
      <Button variant="default" size="xs" loading={end.isPending} onClick={() => end.mutate()}>
        {t("traffic.stop")}
      </Button>
      {end.error && <Failure error={end.error} />}
    </div>
  );
}
