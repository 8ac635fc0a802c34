import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Answers } from "../generated/answers.ts";
import { isRefusal } from "../session/calls.ts";

/** What becomes of the tokens and credentials of whoever is removed. */
export type MadeAnswer = "end" | "adopt";
type Made = Answers["removePeople"]["ended"][number];

/** The tokens and credentials that would end with whoever made them; null: the error is another one. */
export function madeIn(error: unknown): readonly Made[] | null {
  if (!isRefusal(error) || error.code !== "ENDS_WITH_MAKER") return null;
  return (error.details?.made ?? []) as readonly Made[];
}

/** Asks what becomes of them before anything stops. */
export function EndsWithMaker(props: {
  made: readonly Made[];
  /** Whose they are and why they end, where nobody is removed. */
  lead?: string;
  busy: boolean;
  onAnswer: (answer: MadeAnswer) => void;
}) {
  const { t } = useTranslation();
  const { made, lead, busy, onAnswer } = props;
  return (
    <div className="stack" role="alert">
      <p>{lead ?? t("team.endsWith")}</p>
      <ul>
        {made.map(({ kind, id, name }) => (
          <li key={id}>{t(kind === "token" ? "team.endsToken" : "team.endsCredential", { name })}</li>
        ))}
      </ul>
      <div className="acts">
        <Button variant="default" loading={busy} onClick={() => onAnswer("adopt")}>
          {t("team.adopt")}
        </Button>
        <Button color="red" loading={busy} onClick={() => onAnswer("end")}>
          {t("team.endAll")}
        </Button>
      </div>
    </div>
  );
}
