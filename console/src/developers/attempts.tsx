import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { State } from "../parts/state.tsx";
import { Moment } from "../parts/time.tsx";
import { showLatency } from "./latency.ts";
import { runsOf } from "./runs.ts";
import { useWhy } from "./why.ts";
import "./attempts.css";

type Attempt = merchant.WebhookDeliveryWithAttempts["attempts"][number];

/** What came back, line by line: the status, or why there was no answer, in words and as a code; then what the receiver wrote. */
function useLines(): (attempt: Attempt) => readonly string[] {
  const why = useWhy();
  return ({ statusCode, error, response }) => {
    const word = error === undefined ? "" : (why({ status: "failed", lastError: error }) ?? error);
    return [
      ...(statusCode === undefined ? [] : [`HTTP ${statusCode}`]),
      ...(error === undefined ? [] : [word === error ? error : `${word} (${error})`]),
      ...(response ? ["", ...response.split("\n")] : []),
    ];
  };
}

/** A delivery's attempts side by side, those of the same answer together; lines that the answer beside does not have are tinted. */
export function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  const { t, i18n } = useTranslation();
  const runs = runsOf(attempts, useLines());
  return (
    <ol className="attempts">
      {runs.map(({ attempts, lines }, i) => {
        const [first] = attempts;
        const known = new Set((runs[i - 1] ?? runs[i + 1])?.lines ?? lines);
        return (
          <li key={first?.number}>
            {attempts.map(({ number, status, startedAt, latencyMs }) => (
              <div key={number} className="attempt-head">
                <State shape={status === "delivered" ? "done" : "failed"}>{t("webhooks.attempt", { number })}</State>
                <span className="small quiet">
                  <Moment at={startedAt} seconds /> · {showLatency(latencyMs, i18n.language)}
                </span>
              </div>
            ))}
            <pre className="code">
              {lines.map((line, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
                <span key={at} className={known.has(line) ? undefined : `differs ${first?.status}`}>
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
