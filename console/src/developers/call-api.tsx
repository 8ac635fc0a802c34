import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { CopyAct } from "../parts/id.tsx";
import { Section } from "../parts/page.tsx";

/** A program's first two calls: a token, and with it a charge. The secret was shown once, and is not known here. */
const firstCalls = (t: TFunction, clientId = t("credentials.yourId")): string =>
  [
    `TOKEN=$(curl -s ${window.location.origin}/v2/auth \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d '{"client_id": "${clientId}", "client_secret": "${t("credentials.yourSecret")}"}' \\`,
    `  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    "",
    `curl -s ${window.location.origin}/v2/pix \\`,
    `  -H "authorization: Bearer $TOKEN" \\`,
    `  -H 'content-type: application/json' \\`,
    `  -H 'idempotency-key: ${t("credentials.exampleKey")}' \\`,
    `  -d '{"amount": 25.90, "description": "${t("credentials.exampleText")}"}'`,
  ].join("\n");

/** How a credential is used, and where the rest is written. `clientId`: of the one that is named in the call; left out: none. */
export function CallApi({ clientId }: { clientId?: string | undefined }) {
  const { t } = useTranslation();
  const calls = firstCalls(t, clientId);
  return (
    <Section
      title={t("credentials.call")}
      end={
        <span className="flow">
          <CopyAct text={calls} />
          <a href="/docs" target="_blank" rel="noreferrer" className="act">
            {t("nav.reference")}
          </a>
        </span>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: code scrolls by keyboard */}
      <pre className="code" tabIndex={0}>
        {calls}
      </pre>
    </Section>
  );
}
