import { Button } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Answers } from "../generated/answers.ts";
import { copy } from "../parts/copy.ts";
import { Read } from "../parts/feedback.tsx";
import { Icon } from "../parts/icon.tsx";
import { Section } from "../parts/page.tsx";
import { callConsole } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";
import "./code.css";

/** The QR code while it can be paid. What comes then is as large: what stands below stays under the pointer. */
export function Code({ image, status }: { image: string; status: merchant.Charge["status"] }) {
  const { t } = useTranslation();
  if (status === "pending") return <img className="charge-code" src={image} alt={t("newCharge.qr")} />;
  return (
    <div className="charge-code" aria-hidden="true">
      <Icon name={status === "completed" ? "check" : "close"} size={64} />
    </div>
  );
}

const isThisMachine = (): boolean => ["127.0.0.1", "localhost", "[::1]"].includes(location.hostname);

/** Whether a code leads to the simulator, by the place in it where a payer's app finds the charge. */
const isOfSimulator = (code: string, bankUrl: string | null): boolean =>
  bankUrl !== null && code.includes(`${new URL(bankUrl).host}/v2/qr/`);

/** The simulated bank's page that pays a code. */
const payingOf = (bankUrl: string, code: string): string => `${bankUrl}?code=${encodeURIComponent(code)}`;

/**
 * The QR code of a charge that was made before, the code as text, and the page of its payer. Once it is paid, the first two
 * leave their place empty.
 */
export function PixCode({ code, charge }: { code: string; charge: merchant.Transaction }) {
  const { status, checkoutUrl } = charge;
  const { t } = useTranslation();
  const { session } = useSession();
  // The simulator listens on its own machine: elsewhere a browser does not reach it.
  const bankUrl = isThisMachine() ? session.bankUrl : null;
  // Only the simulator's own charges are paid there. A process of an earlier version names no such page.
  const phoneUrl = isOfSimulator(code, session.bankUrl) ? (session.phoneUrl ?? null) : null;
  // Of the code, or of where a phone pays it: no app of a real bank could.
  const drawn = phoneUrl === null ? code : payingOf(phoneUrl, code);
  const query = useQuery({
    queryKey: ["qr", drawn],
    queryFn: () => callConsole<Answers["drawCode"]>("GET", `/qr?code=${encodeURIComponent(drawn)}`),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Section title={t("newCharge.qr")}>
      <div className="code-place stack">
        <Read query={query} lines={7}>
          {({ image }) => <Code image={image} status={status} />}
        </Read>
        {phoneUrl !== null && <p className="small second">{t("charge.onPhone")}</p>}
        <div className="code-acts">
          <Button variant="default" disabled={status !== "pending"} onClick={() => copy(code)}>
            {t("charge.copyPix")}
          </Button>
          {checkoutUrl !== undefined && (
            <Button component="a" variant="default" href={checkoutUrl} target="_blank" rel="noreferrer">
              {t("charge.payerPage")}
            </Button>
          )}
          {bankUrl !== null && status === "pending" && (
            <Button component="a" variant="default" href={payingOf(bankUrl, code)} target="_blank" rel="noreferrer">
              {t(charge.due ? "charge.simulatedBankDay" : "charge.simulatedBank")}
            </Button>
          )}
        </div>
      </div>
    </Section>
  );
}
