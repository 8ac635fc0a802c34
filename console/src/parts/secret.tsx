import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { copy } from "./copy.ts";

/** A secret that is shown once: copied, then put away. */
export function Secret({ text, onKept }: { text: string; onKept: () => void }) {
  const { t } = useTranslation();
  return (
    <div className="note stack">
      <strong>{t("secret.once")}</strong>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: code scrolls by keyboard */}
      <pre className="code on-page" tabIndex={0}>
        {text}
      </pre>
      <div className="abreast">
        <Button variant="default" onClick={() => copy(text)}>
          {t("charge.copy")}
        </Button>
        <Button onClick={onKept}>{t("secret.kept")}</Button>
      </div>
    </div>
  );
}
