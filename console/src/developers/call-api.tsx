import { useTranslation } from "react-i18next";
import { CopyAct } from "../parts/id.tsx";
import { Section } from "../parts/page.tsx";

/** What a program asks for first with its credential: a token. */
const firstCall = (): string =>
  [
    `curl -s ${window.location.origin}/v2/auth \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d '{"client_id": "…", "client_secret": "…"}'`,
  ].join("\n");

/** How a credential is used, and where the rest is written. */
export function CallApi() {
  const { t } = useTranslation();
  return (
    <Section
      title={t("credentials.call")}
      end={
        <a href="/docs" target="_blank" rel="noreferrer" className="act">
          {t("nav.reference")}
        </a>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: code scrolls by keyboard */}
      <pre className="code" tabIndex={0}>
        {firstCall()}
      </pre>
      <p className="pad-top">
        <CopyAct text={firstCall()} />
      </p>
    </Section>
  );
}
