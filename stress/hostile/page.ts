import type { Line, Met } from "./attacks.ts";
import type { Cost } from "./cost.ts";

/** Attacks that a test repeats: the effect before the defence, the effect now, and the test. */
const BY_TEST: readonly (readonly [string, string, string, string])[] = [
  [
    "Simulated money paid out by a real institution",
    "possible",
    "an account is of one environment for ever; `verify` names any other",
    "hostile/simulated-money",
  ],
  [
    "A bank's secret sent to another address by a change of the institution",
    "possible",
    "a change of the address needs the secrets again; production takes https and public addresses only",
    "security/institution-secrets",
  ],
  [
    "300 endpoints that hang",
    "another tenant's first delivery after 15.9 s",
    "20 endpoints a wallet; an account has four times the slots that it leaves free",
    "contract/webhook-endpoints",
  ],
  [
    "54 KB to a notification path that leaked",
    "2,000 to 9,600 queries to the bank",
    "1,000 queries, then 20 a second, charged before they are made",
    "hostile/leaked-path",
  ],
  [
    "A replay of 100,000 events",
    "100,000 deliveries due at once",
    "100 a second, the oldest first",
    "contract/webhook-management",
  ],
  [
    "A body for a notification path that does not exist",
    "read whole, then refused",
    "404 before its first byte",
    "notifications",
  ],
  [
    "A client that reads nothing of its answer",
    "keeps its connection for ever",
    "loses it after 60 to 120 s without progress; one that reads 24 KB a second stays",
    "security/raw-http.deep",
  ],
  [
    "A tenant that asks for the largest pages, for files, or for commands' stored answers, and reads none of them",
    "50 MB a second for a minute, at the default limit of 100 calls a second",
    "an account has four times the bytes that it leaves free of 128 MiB; its further calls are refused with 503, and hold no slot of others",
    "hostile/unread.deep",
  ],
  [
    "Twenty thousand requests in one piece on each connection, without a token, and none of the answers read",
    "15 MB and 0.3 s for each of 20 connections; an address may have 256",
    "the connection is closed at the 101st that waits for its answer",
    "hostile/pipelining",
  ],
  [
    "The same with `GET /metrics`, which is for the operator's network",
    "no answer to anybody for four minutes",
    "and the metrics are read once for all who ask meanwhile",
    "hostile/pipelining",
  ],
  [
    "Wrong secrets at `/v2/auth`, or charges beyond an institution's capacity, at several processes",
    "each process lets through the whole limit",
    "each has its part",
    "contract/rate-limit",
  ],
];

const met = ({ calls, failed, p50, p99 }: Met, alone: Met): string =>
  `${calls} calls, ${failed} failed, p50 ${p50} ms (${(p50 / alone.p50).toFixed(1)} × alone), p99 ${p99} ms`;

/** The page of a run: each attack with its effect before the defence and now. */
export function hostilePage(run: {
  readonly lines: readonly Line[];
  readonly costs: readonly Cost[];
  readonly fuzzed: Readonly<Record<string, number>>;
  readonly findings: number;
  readonly at: Date;
  /** Load of the machine before the run, by other processes. */
  readonly load: number;
  readonly cores: number;
}): string {
  const { lines, costs, fuzzed, findings, at, load, cores } = run;
  return `# Hostile clients

\`npm run hostile\` writes this page. It runs a gateway as a process of its own and attacks it, while another tenant calls
\`GET /account\`, one call after the other and at most 100 a second, its limit. Attackers, gateway, PostgreSQL and the other tenant share the cores of one machine.
What "before" says was measured before there was a defence.

Run of ${at.toISOString().slice(0, 10)}, at a load average of ${load.toFixed(1)} on ${cores} cores before it began. "Alone" is the other tenant's median in the four seconds before each attack.

| attack | before | now | the other tenant meanwhile |
|---|---|---|---|
${lines.map(({ name, before, now, alone, others }) => `| ${name} | ${before} | ${now} | ${met(others, alone)} |`).join("\n")}

Fuzzed in the same run: ${Object.entries(fuzzed)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(", ")}; ${findings} findings (no 5xx, no answer outside the document, no error logged, memory flat).

## What an answer costs

| answer | CPU of the gateway, µs |
|---|---|
${costs.map(({ status, what, cpuUs, share }) => `| ${status}, ${what}${share === 1 ? "" : ` (${Math.round(share * 100)} % of the answers, the others 200)`} | ${cpuUs} |`).join("\n")}

[Overload](overload.md#what-a-refusal-costs) says what follows.

## Held by tests

| attack | before | now | \`gateway/test/…\` |
|---|---|---|---|
${BY_TEST.map(([attack, before, now, test]) => `| ${attack} | ${before} | ${now} | \`${test}.test.ts\` |`).join("\n")}
`;
}
