import { useTranslation } from "react-i18next";
import { CopyAct } from "../parts/id.tsx";
import { Section } from "../parts/page.tsx";

/** What a program asks for first with its credential: a token. The secret was shown once, and is not known here. */
const firstCall = (clientId = "…"): string =>
  [
    `curl -s ${window.location.origin}/v2/auth \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d '{"client_id": "${clientId}", "client_secret": "…"}'`,
  ].join("\n");

/** How a credential is used, and where the rest is written. `clientId`: of the one that is named in the call; left out: none. */
export function CallApi({ clientId }: { clientId?: string | undefined }) {
  const { t } = useTranslation();
  return (
    <Section
      title={t("credentials.call")}
      end={
        <span className="flow">
          <CopyAct text={firstCall(clientId)} />
          <a href="/docs" target="_blank" rel="noreferrer" className="act">
            {t("nav.reference")}
          </a>
        </span>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: code scrolls by keyboard */}
      <pre className="code" tabIndex={0}>
        {firstCall(clientId)}
      </pre>
    </Section>
  );
}
