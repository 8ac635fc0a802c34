import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { showElapsed } from "../parts/instant.ts";
import { State } from "../parts/state.tsx";
import { Moment } from "../parts/time.tsx";
import "./attempts.css";

type Attempt = merchant.WebhookDeliveryWithAttempts["attempts"][number];

/** What came back, line by line: the status, or why there was no answer, then what the receiver wrote. */
const linesOf = ({ statusCode, error, response }: Attempt): readonly string[] => [
  statusCode === undefined ? (error ?? "") : `HTTP ${statusCode}`,
  ...(response ? ["", ...response.split("\n")] : []),
];

/** A delivery's attempts side by side; lines that the attempt beside it does not have are tinted. */
export function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  const { t, i18n } = useTranslation();
  return (
    <ol className="attempts">
      {attempts.map((attempt, i) => {
        const { number, status, startedAt, latencyMs } = attempt;
        const beside = attempts[i - 1] ?? attempts[i + 1];
        const known = new Set(linesOf(beside ?? attempt));
        return (
          <li key={number}>
            <div className="attempt-head">
              <State shape={status === "delivered" ? "done" : "failed"}>{t("webhooks.attempt", { number })}</State>
              <span className="small quiet">
                <Moment at={startedAt} seconds /> · {showElapsed(latencyMs, i18n.language)}
              </span>
            </div>
            <pre className="code">
              {linesOf(attempt).map((line, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
                <span key={at} className={known.has(line) ? undefined : `differs ${status}`}>
                  {line}
                  {"\n"}
                </span>
              ))}
            </pre>
          </li>
        );
      })}
    </ol>
  );
}
