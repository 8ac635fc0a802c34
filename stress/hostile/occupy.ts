import { pause } from "../../gateway/test/harness/eventually.ts";
import type { Attack } from "./attacks.ts";
import { flood } from "./flood.ts";
import { LIMIT, type Target } from "./target.ts";

const SECONDS = 8;
const BODY = 250 * 1024;

/** One unit again and again, up to a body's largest size. */
const filled = (before: string, unit: (i: number) => string, after: string): string => {
  const units: string[] = [];
  for (let length = 0, i = 0; length < BODY; i += 1) length += units[units.push(unit(i)) - 1]!.length;
  return before + units.join("") + after;
};
const unknownFields = () => filled("{", (i) => `"k${i}":0,`, '"z":0}');
const emptyLegs = () => filled('{"amount":10,"description":"d","split":[', () => "{},", "{}]}");

/** Milliseconds of half of some logins of a merchant, one after the other. */
async function loginMedian(target: Target, seconds: number): Promise<number> {
  const latencies: number[] = [];
  const until = performance.now() + seconds * 1_000;
  while (performance.now() < until) {
    const began = performance.now();
    await target.ordinary();
    latencies.push(performance.now() - began);
    await pause(50);
  }
  return latencies.sort((a, b) => a - b)[Math.floor(latencies.length / 2)]!;
}

/** Sign-ins of people who do not exist, at an address's limit, while a merchant logs in. */
async function signInAsNobody(target: Target): Promise<string> {
  const alone = await loginMedian(target, 3);
  const flooding = flood({
    url: target.url,
    ...{ method: "POST", path: "/console/api/session/password", rate: LIMIT, seconds: SECONDS },
    body: JSON.stringify({ email: "nobody@example.com", password: "a wrong password" }),
  });
  const beside = await loginMedian(target, SECONDS);
  const times = (beside / alone).toFixed(1);
  return `${await flooding}; \`POST /v2/auth\` p50 ${beside.toFixed(1)} ms, ${times} times what it is alone`;
}

/** What keeps the one thread, the connections or the hashing busy, so that others wait. */
export const OCCUPYING: readonly Attack[] = [
  {
    name: "A stranger's 60 bodies a second of 250 KiB of unknown fields, to the console's sign-in",
    before: "the other tenant's p50 1.9 ms → 2,078 ms",
    run: ({ url }) =>
      flood({
        url,
        ...{ method: "POST", path: "/console/api/session/password", rate: 60, seconds: SECONDS },
        body: unknownFields(),
      }),
  },
  {
    name: "A merchant's 25 charges a second with 83,000 empty legs of a split",
    before: "the other tenant's p50 2.1 ms → 1,733 ms",
    run: ({ url, attacker }) =>
      flood({
        ...{ url, token: attacker.token, method: "POST", path: "/v2/pix", rate: 25, seconds: SECONDS },
        body: emptyLegs(),
      }),
  },
  {
    name: "Sign-ins of nobody at an address's limit",
    before: "`POST /v2/auth` p50 2.7 ms → 2,254 ms",
    run: signInAsNobody,
  },
];
