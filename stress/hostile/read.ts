import { get, type IncomingMessage } from "node:http";
import { pause } from "../../gateway/test/harness/eventually.ts";
import { flood } from "./flood.ts";
import { type Attack, LIMIT, type Target } from "./target.ts";

const SOCKETS = 40;
const OPERATORS = 14;

/** Reads as the tenant with a long history on many sockets, as fast as its rate limit allows. */
const read =
  (path: string, headers: Readonly<Record<string, string>> = {}) =>
  ({ url, busy, seconds }: Target): Promise<string> =>
    flood({ url, token: busy.client.token!, path: `/v2${path}`, headers, rate: LIMIT, sockets: SOCKETS, seconds });

/** Reads as an operator, who has no rate limit, on several sockets. */
const operate =
  (method: "GET" | "POST", path: string, body?: object, sockets = OPERATORS) =>
  ({ url, sandbox, seconds }: Target): Promise<string> =>
    flood({
      ...{ url, token: sandbox.operatorToken, method, path: `/operator/v1${path}`, rate: 1_000, seconds, sockets },
      ...(body && { body: JSON.stringify(body) }),
    });

/** Yesterday in São Paulo: the long history has a payment in each second of it, and the bank lists none of them. */
const yesterday = (): string => new Date(Date.now() - 27 * 3_600_000).toISOString().slice(0, 10);

/** Duration of the first call, and the median of all, milliseconds. */
async function timed(times: number, call: () => Promise<unknown>): Promise<{ first: string; half: string }> {
  const spent: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const began = performance.now();
    await call();
    spent.push(performance.now() - began);
  }
  const half = [...spent].sort((a, b) => a - b)[Math.floor(times / 2)]!;
  return { first: spent[0]!.toFixed(1), half: half.toFixed(1) };
}

/** Measures calls of the tenant with a long history, one after the other. */
async function readAlone({ busy }: Target): Promise<string> {
  const said: string[] = [];
  for (const path of ["/balance/explanation", "/statement/summary", "/account/summary", "/statement?kind=refund_fee"]) {
    const { first, half } = await timed(30, () => busy.client.get(path));
    said.push(`\`${path}\` p50 ${half} ms, the first ${first} ms`);
  }
  return `over ${busy.lines} lines: ${said.join("; ")}`;
}

/** Ids from which a stream is resumed: of the first day, an hour ago, a minute ago, tomorrow, and of no event. */
const RESUMED = [
  ["1970", () => "1.x"],
  ["an hour ago", () => `${Date.now() - 3_600_000}.x`],
  ["nine minutes ago", () => `${Date.now() - 540_000}.x`],
  ["tomorrow", () => `${Date.now() + 86_400_000}.x`],
  ["no time", () => "x"],
] as const;

const cookieOf = ({ page }: Target): string => [...page.jar].map(([name, value]) => `${name}=${value}`).join("; ");
const streamOf = ({ busy }: Target): string => `/v2/events/stream?account=${busy.accountId}`;

async function resumeAlone(target: Target): Promise<string> {
  const cookie = cookieOf(target);
  const firstByte = (path: string, headers: Readonly<Record<string, string>>) => () =>
    new Promise<void>((resolve, reject) => {
      const request = get(target.url + path, { headers: { cookie, ...headers } }, (response: IncomingMessage) => {
        response.once("data", () => {
          request.destroy();
          if (response.statusCode === 200) resolve();
          else reject(new Error(`${path} answers ${response.statusCode}`));
        });
      }).on("error", reject);
    });
  const plain = firstByte("/v2/account", { "x-pixgate-account": target.busy.accountId });
  const said: string[] = [];
  for (const [from, id] of RESUMED) {
    // A pause after each thirty calls, so that a fast machine does not reach the person's own rate limit.
    await pause(1_000);
    const alone = await timed(15, plain);
    const { half } = await timed(15, firstByte(streamOf(target), { "last-event-id": id() }));
    said.push(`${from} ${half} ms (\`GET /account\` ${alone.half} ms)`);
  }
  return `p50 of the first byte, resumed from: ${said.join(", ")}`;
}

/** Attacks that read a long history, one call at a time and on many sockets. */
export const READING: readonly Attack[] = [
  {
    name: "Reads of a long history, one after the other",
    before: "`/balance/explanation` 700 ms",
    run: readAlone,
  },
  {
    name: "A stream that is resumed from any id",
    before: "from 1970: all events are read",
    run: resumeAlone,
  },
  {
    name: "40 sockets of one tenant that read the explanation of its balance",
    before: "with 600,000 lines: the other tenant's p50 2 ms → 13,574 ms, `/readyz` 13.6 s",
    run: read("/balance/explanation"),
  },
  {
    name: "40 sockets of one tenant that read the largest page of its statement",
    before: "not measured",
    run: read("/statement?limit=100"),
  },
  {
    name: "40 sockets of one tenant that look in its statement for a kind that it has not",
    before: "not measured",
    run: read("/statement?kind=refund_fee"),
  },
  {
    name: "40 sockets of one tenant that read the statement of all its wallets",
    before: "not measured",
    run: read("/statement?subAccount=*&limit=100"),
  },
  {
    name: "40 sockets of one tenant that add up its month",
    before: "not measured",
    run: read("/statement/summary"),
  },
  {
    name: "40 sockets of one tenant that add up its day",
    before: "not measured",
    run: read("/account/summary"),
  },
  {
    name: "40 sockets of one tenant that export its statement",
    before: "not measured",
    run: read("/statement", { accept: "text/csv" }),
  },
  {
    name: "40 sockets of one tenant that read the largest page of its payments",
    before: "not measured",
    run: read("/transactions?limit=100"),
  },
  {
    name: "12 sockets of a person that resume a stream from 1970",
    before: "not measured",
    run: (target) =>
      flood({
        ...{ url: target.url, path: streamOf(target), rate: LIMIT, sockets: 12, seconds: target.seconds },
        ...{ endless: true, headers: { cookie: cookieOf(target), "last-event-id": "1.x" } },
      }),
  },
  {
    name: "14 sockets of an auditor that check the books",
    before: "with 600,000 lines: the other tenant waits up to 10 s, and gets 500s",
    run: operate("GET", "/ledger/verify"),
  },
  {
    name: "14 sockets of an operator that have the auditor check all of the books",
    before: "not measured",
    run: operate("POST", "/ledger/audits", { mode: "full" }),
  },
  {
    name: "14 sockets of an operator that export a person",
    before: "not measured",
    run: operate("POST", "/persons/export", { document: "12345678909" }),
  },
  {
    name: "40 sockets of an operator that have a day compared again, of whose 86,400 Pix the bank shows none",
    before: "not measured",
    run: (target) => operate("POST", `/reconciliation/${yesterday()}`, undefined, SOCKETS)(target),
  },
];
