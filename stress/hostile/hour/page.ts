import type { Kind } from "./clients.ts";
import type { Held, Hour, Phase } from "./hour.ts";
import type { Act, Call } from "./tenants.ts";

/** Descriptions of the attacks. */
const ATTACKS: Readonly<Record<Kind | "nobody", string>> = {
  nobody: "nobody attacks",
  slow: "slow: 200 sockets, a byte of a head or of a body each second",
  "half-open": "half-open: 300 sockets that say nothing, end in a head, or are reset in a body",
  crowd: "crowd: 600 connections wanted by one address",
  unread: "unread: 50 sockets that ask for ten pages of half a megabyte and ten files, and read nothing",
  flooding: "flooding: a tenant at twenty times its limit; 50 guesses of a secret a second",
  huge: "huge: bodies of 300 KB and without end, heads and metadata of 100 KB, largest pages",
  hanging: "hanging: 20 tests of a webhook a second to a receiver that never answers",
  mixed: "mixed: all of these at once, each at half to a fifth",
};
const ACTS: readonly Act[] = ["charge", "settlement", "read"];

const at = (sorted: readonly number[], part: number) =>
  sorted.length === 0
    ? "-"
    : String(Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!));

/** The cells of some calls: their number, failures, p50 and p99. */
function met(calls: readonly Call[]): string {
  const sorted = calls.map(({ elapsed }) => elapsed).sort((a, b) => a - b);
  const failed = calls.filter(({ failure }) => failure !== null).length;
  return `${calls.length} | ${failed} | ${at(sorted, 0.5)} | ${at(sorted, 0.99)}`;
}

const within = (calls: readonly Call[], phases: readonly Phase[]): readonly Call[] =>
  calls.filter((call) => phases.some(({ from, to }) => call.at >= from && call.at < to));

const most = (phases: readonly Phase[]): Held => ({
  memory: Math.max(...phases.map(({ most }) => most.memory)),
  sockets: Math.max(...phases.map(({ most }) => most.sockets)),
});

/** Parts of the time, percent, that the gateway ran and that it waited for a core. */
function share(phases: readonly Phase[]): string {
  const time = phases.reduce((sum, { from, to }) => sum + to - from, 0);
  const percent = (of: (phase: Phase) => number) =>
    Math.round((100 * phases.reduce((sum, one) => sum + of(one), 0)) / time);
  return `${percent(({ core }) => core.ran)} | ${percent(({ core }) => core.waited)}`;
}

function rowOf(kind: Phase["kind"], { phases, calls }: Hour): string {
  const own = phases.filter((phase) => phase.kind === kind);
  if (own.length === 0) return `| ${ATTACKS[kind]} | - | - | - | - | - | - | - | - | - |`;
  const there = within(calls, own);
  const sorted = there
    .filter(({ act }) => act === "settlement")
    .map(({ elapsed }) => elapsed)
    .sort((a, b) => a - b);
  const held = most(own);
  return `| ${ATTACKS[kind]} | ${met(there)} | ${at(sorted, 0.99)} | ${held.memory} | ${held.sockets} | ${share(own)} |`;
}

function causedBy(kind: Kind, phases: readonly Phase[]): string {
  const sum = new Map<string, number>();
  for (const phase of phases) {
    if (phase.kind !== kind) continue;
    for (const [what, count] of phase.counts) sum.set(what, (sum.get(what) ?? 0) + count);
  }
  const parts = [...sum].sort(([a], [b]) => (a < b ? -1 : 1)).map(([what, count]) => `${what}: ${count}`);
  return `| ${kind} | ${parts.join(", ") || "-"} |`;
}

/** The failures by their answer, without the parts that differ from answer to answer, such as ids. */
function failuresOf(calls: readonly Call[]): string {
  const sum = new Map<string, number>();
  for (const { act, failure } of calls) {
    if (failure === null) continue;
    const what = `${act}: ${failure.replace(/,"timestamp".*$/, "").slice(0, 120)}`;
    sum.set(what, (sum.get(what) ?? 0) + 1);
  }
  return sum.size === 0 ? "No call failed." : [...sum].map(([what, count]) => `- ${count} × \`${what}\``).join("\n");
}

/** The page of an hour, or of the part of it that is over. */
export function hourPage(hour: Hour, on: Date): string {
  const { minutes, tenants, limit, connections, calls, phases, before, after, findings, load } = hour;
  const order = Object.keys(ATTACKS) as (Kind | "nobody")[];
  const elapsed = Math.round((phases.at(-1)?.to ?? 0) / 60_000);
  const held = (what: Held) => `${what.memory} MiB, ${what.sockets} sockets`;
  const end = after === null ? "not yet over" : held(after);
  const verdict =
    findings === null
      ? "Not yet over."
      : findings.length === 0
        ? "The books are whole and no error was logged."
        : findings.map((finding) => `- ${finding}`).join("\n");
  return `# An hour of hostile clients

\`npm run hostile -- --minutes ${minutes}\` writes this page. A gateway runs as a process of its own, with ${limit} calls a second for each
credential and ${connections} connections for each address. ${tenants} ordinary tenants each begin a sale every second, whatever became of the one
before: a charge, its payment until it is booked, two reads. No call is repeated; one without a successful answer within 30 s counts as failed.
The attacks come in turns, three times around. Attackers, gateway, PostgreSQL, simulator and tenants share the machine's cores, with
whatever else runs there: the last columns say how much of the time the gateway's event loop ran, and waited because all cores were in use.

Run of ${on.toISOString().slice(0, 16).replace("T", " ")}, ${elapsed} minutes, which includes starting and ending each attack; load average ${load[0].toFixed(1)} before, ${load[1].toFixed(1)} at the end.
The gateway before: ${held(before)}; at the end: ${end}. ${verdict}

| ordinary tenants, over the whole time | calls | failed | p50, ms | p99, ms |
|---|---|---|---|---|
${ACTS.map((act) => `| ${act} | ${met(calls.filter((call) => call.act === act))} |`).join("\n")}
| all | ${met(calls)} |

| while | calls | failed | p50, ms | p99, ms | p99 of a settlement, ms | memory at most, MiB | sockets at most | ran, % | waited for a core, % |
|---|---|---|---|---|---|---|---|---|---|
${order.map((kind) => rowOf(kind, hour)).join("\n")}

${failuresOf(calls)}

## What became of the attackers

| attack | the gateway's answers, and connections that it closed |
|---|---|
${order
  .filter((kind) => kind !== "nobody")
  .map((kind) => causedBy(kind as Kind, phases))
  .join("\n")}
`;
}
