import { addBrl, type operator } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { showBrl, showMovement } from "../../parts/amount.ts";
import { FreeText } from "../../parts/free-text.tsx";
import { Money } from "../../parts/money.tsx";
import { Section } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";

const sinceClosing = ({ now, lastClosing }: operator.RunningBalance): number => addBrl(now, -lastClosing);

/** What each institution holds while the day goes on; a row opens what went through it. */
export function Running({ running }: { running: readonly operator.RunningBalance[] }) {
  const { t } = useTranslation();
  if (running.length === 0) return null;
  return (
    <Section title={t("operator.close.byBooks")} end={t("operator.close.runningEnd")}>
      <Table<operator.RunningBalance>
        caption={t("operator.close.byBooks")}
        rows={running}
        keyOf={({ institutionId }) => institutionId}
        hrefOf={({ institutionId }) => `/operator/institutions?open=${institutionId}`}
        columns={[
          {
            key: "name",
            title: t("operator.cases.institution"),
            className: "lead",
            corner: "who",
            cell: ({ name }) => <FreeText>{name}</FreeText>,
          },
          {
            key: "last",
            title: t("operator.close.lastClosing"),
            end: true,
            cell: ({ lastClosing }) => <Money brl={lastClosing} />,
          },
          {
            key: "since",
            title: t("operator.close.since"),
            end: true,
            corner: "state",
            cell: (one) => <Money brl={sinceClosing(one)} movement />,
            phone: (one) => t("operator.close.sinceShort", { sum: showMovement(sinceClosing(one)) }),
          },
          {
            key: "now",
            title: t("operator.close.now"),
            className: "heavy",
            end: true,
            corner: "amount",
            cell: ({ now }) => <Money brl={now} />,
          },
        ]}
      />
      {running.length > 1 && (
        <p className="small quiet num list-sum">
          {t("operator.close.wholeNow", { sum: showBrl(addBrl(0, ...running.map(({ now }) => now))) })}
        </p>
      )}
    </Section>
  );
}
