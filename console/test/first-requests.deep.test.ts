/** How many requests each screen sends when a browser opens it, and that none is sent twice. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Request } from "playwright-core";
import { callApi } from "./call-api.ts";
import { eventually } from "./eventually.ts";
import { MERCHANT_SCREENS, OPERATOR_SCREENS } from "./screens.ts";
import { goTo, opened, page, withConsole } from "./with-console.ts";

withConsole();

/**
 * Requests of one opening, the stream and the files not counted. Three of them are the session, what the navigation counts, in one
 * round, and the notices, two seconds later.
 */
const MOST = 6;
/** Home: those, all that it shows in one round, and whether traffic runs. A charge shows to operators also the route that it took. */
const MOST_OF = { home: 5, charge: 11 } as const;
/**
 * Three of them are the session, what the navigation counts and the notices. The overview shows what every other operator's screen
 * shows a part of, the desk of payouts what waits for each of six reasons, and the withdrawals those of each state that is open and
 * those that another name has received. An account says by its institutions, its brakes and its cases what it can do, and the audit log what was written today.
 */
const MOST_FOR_OPERATORS = 9;
const MOST_OF_OPERATORS: Readonly<Record<string, number>> = {
  ...{ "/operator": 15, "/operator/payouts": 14, "/operator/withdrawals": 11 },
  ...{ "/operator/accounts/:id": 10, "/operator/audit-log": 10 },
};
/** On a loaded machine the stream may open late, and then the screen is read again: the best of so many openings counts. */
const TRIES = 3;

const CALLS = /^\/(v2|operator\/v1|console\/api)\//;
const callOf = (request: Request): string | null => {
  const { pathname, search } = new URL(request.url());
  return CALLS.test(pathname) && !pathname.endsWith("/stream") ? `${request.method()} ${pathname}${search}` : null;
};

/** What a screen asks for until nothing more has come for a while, the notices among it. */
async function callsOf(path: string): Promise<readonly string[]> {
  const calls: string[] = [];
  let last = Date.now();
  const note = (request: Request) => {
    const call = callOf(request);
    if (call === null) return;
    calls.push(call);
    last = Date.now();
  };
  page.on("request", note);
  try {
    await goTo(`/console${path}`);
    await page.getByText("Ao vivo", { exact: true }).first().waitFor();
    await eventually("the notices", async () => calls.some((call) => call.includes("/notices")));
    await eventually("a quiet page", async () => Date.now() - last > 1_500);
  } finally {
    page.off("request", note);
  }
  return calls;
}

/** What a screen asked for at the best of its openings. A second round of Home names another moment, so it repeats no call. */
async function bestOf(path: string, most: number): Promise<readonly string[]> {
  let best: readonly string[] | null = null;
  for (let tried = 0; tried < TRIES; tried += 1) {
    const calls = await callsOf(path);
    if (best === null || calls.length < best.length) best = calls;
    if (best.length <= most && new Set(best).size === best.length) break;
  }
  return best!;
}

/** Opens screens, and names those that asked for more than `mostOf` says, or for something twice. */
async function wrongOf(
  t: TestContext,
  paths: readonly string[],
  mostOf: (path: string) => number,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const path of paths) {
    const calls = await bestOf(path, mostOf(path));
    const repeated = calls.filter((call, n) => calls.indexOf(call) !== n);
    t.diagnostic(`${path}: ${calls.length}${repeated.length > 0 ? `, repeated ${repeated.join()}` : ""}`);
    if (calls.length > mostOf(path) || repeated.length > 0) wrong.push(`${path}: ${calls.join(", ")}`);
  }
  return wrong;
}

test("each merchant's screen asks for what it shows in one round, and for nothing twice", {
  timeout: 600_000,
}, async (t) => {
  const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", { amount: 30, description: "Cesta" });
  await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {});
  const paths = [...MERCHANT_SCREENS.filter((path) => !path.includes(":")), `/charges/${id}`];
  // What was just made is reported to a page that opens within seconds.
  await eventually("quiet", async () => {
    const first = await callsOf("/statement");
    return new Set(first).size === first.length;
  });
  const mostOf = (path: string) => (path === "/" ? MOST_OF.home : path.startsWith("/charges/") ? MOST_OF.charge : MOST);
  assert.deepEqual(await wrongOf(t, paths, mostOf), []);
  assert.deepEqual(opened.errors, []);
});

test("each operator's screen asks for nothing twice when its stream opens", { timeout: 600_000 }, async (t) => {
  const { accounts } = await callApi<{ accounts: [{ accountId: string }] }>(page, "GET", "/console/api/session");
  const { accountId } = accounts[0];
  const paths = OPERATOR_SCREENS.map((path) => path.replace(":id", accountId));
  const mostOf = (path: string) => MOST_OF_OPERATORS[path.replace(accountId, ":id")] ?? MOST_FOR_OPERATORS;
  assert.deepEqual(await wrongOf(t, paths, mostOf), []);
  assert.deepEqual(opened.errors, []);
});
