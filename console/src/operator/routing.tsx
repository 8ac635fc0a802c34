import type { operator } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { Section } from "../parts/page.tsx";
import { Mark } from "../parts/state.tsx";
import { useNames } from "./reads.ts";
import { wordOf } from "./words.ts";

/** Why an institution was chosen, in one line, and below it those that were passed over, each with its reason. */
export function Routing({ routing: { reason, passed } }: { routing: operator.Routing }) {
  const { t } = useTranslation();
  const nameOf = useNames();
  return (
    <Section title={t("operator.routing.title")}>
      <p className="small pad-top">{wordOf("routing.reason", reason)}</p>
      {passed.map(({ institutionId, because }) => (
        <p key={institutionId} className="row-line small">
          <Mark shape="ended" />
          <span>
            <strong>{nameOf(institutionId)}</strong>
            <span className="quiet block">{wordOf("routing.because", because)}</span>
          </span>
        </p>
      ))}
    </Section>
  );
}
