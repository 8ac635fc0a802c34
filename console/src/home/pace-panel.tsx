import { useTranslation } from "react-i18next";
import type { Answers } from "../generated/answers.ts";
import { useAddress } from "../parts/filters.tsx";
import { FormPanel, fieldOf } from "../parts/form-panel.tsx";
import { NativeSelect } from "../parts/select.ts";
import { callConsole } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";

const MINUTES = [1, 5, 15, 60] as const;
const PER_MINUTE = [6, 20, 60, 120] as const;

/** Pace of a run, asked for in a panel. */
export default function PacePanel() {
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
      save={(pace) =>
        callConsole<Answers["startTraffic"]>("POST", "/traffic", pace, session.csrfToken, account.accountId)
      }
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
