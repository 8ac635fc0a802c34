import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { FailureWords } from "../parts/feedback.tsx";
import { Mark } from "../parts/state.tsx";

/** In place of an overview of which nothing could be read: that nobody knows whether somebody must act, and what to do. */
export function UnreadOverview({ error, retry }: { error: unknown; retry: () => void }) {
  const { t } = useTranslation();
  return (
    <div className="verdict" role="alert">
      <Mark shape="waiting" />
      <div>
        <p className="verdict-answer">{t("operator.verdict.unknown")}</p>
        <p className="second">{t("operator.verdict.unread")}</p>
        <p className="second">{t("operator.verdict.unreadNow")}</p>
        <div className="verdict-acts">
          <Button size="xs" onClick={retry}>
            {t("feedback.retry")}
          </Button>
          <Button component={Link} href="/operator/cases" size="xs" variant="default">
            {t("operator.verdict.seeCases")}
          </Button>
          <Button component={Link} href="/operator/books" size="xs" variant="default">
            {t("operator.verdict.seeBooks")}
          </Button>
        </div>
        <p className="small quiet gap-above">
          <FailureWords error={error} />
        </p>
      </div>
    </div>
  );
}
