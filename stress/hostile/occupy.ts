import { Browser } from "../../gateway/test/harness/browser.ts";
import { pause } from "../../gateway/test/harness/eventually.ts";
import { flood } from "./flood.ts";
import { type Attack, LIMIT, type Target } from "./target.ts";

const BODY = 250 * 1024;

/** A body of the largest size that repeats a unit. */
const filled = (before: string, unit: (i: number) => string, after: string): string => {
  const units: string[] = [];
  for (let length = 0, i = 0; length < BODY; i += 1) length += units[units.push(unit(i)) - 1]!.length;
  return before + units.join("") + after;
};
const unknownFields = () => filled("{", (i) => `"k${i}":0,`, '"z":0}');
const emptyLegs = () => filled('{"amount":10,"description":"d","split":[', () => "{},", "{}]}");

/** The median duration of consecutive logins of a merchant, milliseconds. */
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
  const { url, seconds } = target;
  const flooding = flood({
    ...{ url, method: "POST", path: "/console/api/session/password", rate: LIMIT, seconds },
    body: JSON.stringify({ email: "nobody@example.com", password: "a wrong password" }),
  });
  const beside = await loginMedian(target, target.seconds);
  const times = (beside / alone).toFixed(1);
  return `${await flooding}; \`POST /v2/auth\` p50 ${beside.toFixed(1)} ms, ${times} times what it is alone`;
}

const PASSWORD = "um cavalo correto grampeia";

/** Guesses a person's password from the person's own address, while the person signs in from a known browser. */
async function guessAtPerson({ url, page, seconds }: Target): Promise<string> {
  const email = "ana@example.com";
  const made = await page.send<{ link: string }>("POST", "/console/api/people", { email, role: "support" });
  const person = await new Browser(url).use(made.body.link.split("#link=")[1]!);
  await person.send("POST", "/console/api/me/password", { password: PASSWORD });
  const signIn = () => person.send("POST", "/console/api/session/password", { email, password: PASSWORD });
  const guessing = flood({
    ...{ url, method: "POST", path: "/console/api/session/password", rate: LIMIT, seconds },
    body: JSON.stringify({ email, password: "a wrong password" }),
  });
  const latencies: number[] = [];
  let tries = 0;
  for (const until = performance.now() + seconds * 1_000; performance.now() < until; tries += 1) {
    await person.send("DELETE", "/console/api/session");
    const began = performance.now();
    if ((await signIn()).status === 200) latencies.push(performance.now() - began);
    await pause(200);
  }
  const half = latencies.sort((a, b) => a - b)[Math.floor(latencies.length / 2)] ?? 0;
  return `${await guessing}; the person signed in ${latencies.length} of ${tries} times, p50 ${half.toFixed(0)} ms`;
}

/** Attacks that keep the thread, the connections or the hashing busy, so that other callers wait. */
export const OCCUPYING: readonly Attack[] = [
  {
    name: "A stranger's 60 bodies a second of 250 KiB of unknown fields, to the console's sign-in",
    before: "the other tenant's p50 1.9 ms → 2,078 ms",
    run: ({ url, seconds }) =>
      flood({
        url,
        ...{ method: "POST", path: "/console/api/session/password", rate: 60, seconds },
        body: unknownFields(),
      }),
  },
  {
    name: "A merchant's 25 charges a second with 83,000 empty legs of a split",
    before: "the other tenant's p50 2.1 ms → 1,733 ms",
    run: ({ url, attacker, seconds }) =>
      flood({
        ...{ url, token: attacker.token, method: "POST", path: "/v2/pix", rate: 25, seconds },
        body: emptyLegs(),
      }),
  },
  {
    name: "Sign-ins of nobody at an address's limit",
    before: "`POST /v2/auth` p50 2.7 ms → 2,254 ms",
    run: signInAsNobody,
  },
  {
    name: "Guesses at the password of a person who signs in meanwhile",
    before: "the person was refused for 15 minutes, again and again",
    run: guessAtPerson,
  },
];
