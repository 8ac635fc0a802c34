/** A process whose clock differs from the database's is out of service until it is right again, and nobody believes what it made. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pino from "pino";
import { sql } from "../../src/db/sql.ts";
import { type Running, serve } from "../../src/program/serve.ts";
import { readConfig } from "../../src/settings/config.ts";
import { Browser } from "../harness/browser.ts";
import { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const HOUR = 3_600_000;
const EVERY_SECOND_OF_A_MINUTE = 60;

/** Loops run in the second process alone. */
let gateway: TestGateway;
before(async () => {
  gateway = await startGateway({ PIXGATE_ROLE: "api" });
});
after(() => gateway.end());

/** A further process on the same books, whose clock the test moves. */
async function startBeside(aheadMs: number, env: Record<string, string> = {}) {
  let ahead = aheadMs;
  const lines: { level: number; msg: string; offsetSeconds?: number }[] = [];
  const running = await serve(
    readConfig({
      ...{ PIXGATE_PORT: "0", PIXGATE_SIMULATOR_PORT: "off", PIXGATE_RATE_LIMIT: "off" },
      ...{ PIXGATE_DATA_DIR: gateway.dataDir, DATABASE_URL: gateway.databaseUrl, ...env },
    }),
    pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    { clock: { now: () => Date.now() + ahead, date: () => new Date(Date.now() + ahead) } },
  );
  return {
    running,
    moveTo: (ms: number) => {
      ahead = ms;
    },
    errors: () => lines.filter(({ level }) => level >= 50),
    stop: () => running.stop(),
  };
}

const readiness = async ({ url }: Running) => {
  const answer = await fetch(`${url}/readyz`);
  return { status: answer.status, message: ((await answer.json()) as { message?: string }).message };
};
const isReady = async (running: Running): Promise<boolean> => (await readiness(running)).status === 200;
const offsetOf = async ({ url }: Running): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^pixgate_clock_offset_seconds (.*)$/m.exec(text)?.[1]);
};
const account = ({ url }: Running, token: string) =>
  fetch(`${url}/v2/account`, { headers: { authorization: `Bearer ${token}` } });

/** An open charge that is due to be checked. */
async function dueCharge(): Promise<{ id: string; isChecked: () => Promise<boolean>; status: () => Promise<string> }> {
  const made = await gateway.merchant.post<{ id: string }>("/pix", { amount: 12, description: "still open" });
  assert.equal(made.status, 201, made.text);
  const { id } = made.body;
  await gateway.owner.query(sql`update open_charges set check_at = ${new Date(0)} where charge_id = ${id}`);
  return {
    id,
    isChecked: async () =>
      (await gateway.owner.query(sql`select from open_charges where charge_id = ${id} and checks > 0`)).rowCount === 1,
    status: async () => (await gateway.merchant.get<{ status: string }>(`/transactions/${id}`)).body.status,
  };
}

/** Time enough for a loop to do what it must not do. */
async function wakeOften({ ctx, url }: Running): Promise<void> {
  for (let i = 0; i < EVERY_SECOND_OF_A_MINUTE; i += 1) {
    ctx.hints.wake("charges");
    await fetch(`${url}/healthz`);
  }
}

describe("A process whose clock is two hours wrong", () => {
  for (const [how, ahead] of [
    ["ahead", 2 * HOUR],
    ["behind", -2 * HOUR],
  ] as const) {
    test(`is not ready where it is ${how}, runs no loop, and works as soon as it is right`, async () => {
      const charge = await dueCharge();
      const other = await startBeside(ahead);
      try {
        const { status, message } = await readiness(other.running);
        assert.equal(status, 503);
        assert.match(message ?? "", new RegExp(`clock .* 7[12]\\d\\d seconds ${how}`));
        assert.equal(Math.round((await offsetOf(other.running)) / 10), ahead / 10_000);
        const errors = other.errors();
        assert.equal(errors.length, 1, JSON.stringify(errors));
        assert.match(errors[0]!.msg, /clock/);
        await wakeOften(other.running);
        assert.deepEqual([await charge.isChecked(), await charge.status()], [false, "pending"]);

        other.moveTo(0);
        await eventually("it to be ready", () => isReady(other.running));
        assert.ok(Math.abs(await offsetOf(other.running)) < 5);
        await eventually("the charge to be checked", charge.isChecked);
        assert.equal(await charge.status(), "pending");
      } finally {
        await other.stop();
      }
    });
  }

  test("answers no call, and takes no notification: another process does", async () => {
    const other = await startBeside(2 * HOUR, { PIXGATE_ROLE: "api" });
    try {
      const { clientId, clientSecret, operatorToken } = gateway.sandbox;
      for (const [path, init] of [
        ["/v2/auth", { method: "POST", body: JSON.stringify({ client_id: clientId, client_secret: clientSecret }) }],
        ["/operator/v1/accounts", { headers: { authorization: `Bearer ${operatorToken}` } }],
        ["/console/api/session", {}],
        ["/psp/x/pix", { method: "POST", body: "{}" }],
      ] as const) {
        const answer = await fetch(`${other.running.url}${path}`, {
          ...init,
          headers: { "content-type": "application/json", ...("headers" in init && init.headers) },
        });
        assert.equal(answer.status, 503, `${path}: ${await answer.text()}`);
        assert.ok(Number(answer.headers.get("retry-after")) > 0, path);
      }
      assert.equal((await fetch(`${other.running.url}/healthz`)).status, 200);
    } finally {
      await other.stop();
    }
  });
});

describe("A clock that jumps while the process works", () => {
  test("stops it at once, before the clocks are compared again", async () => {
    const other = await startBeside(0);
    try {
      await eventually("it to be ready", () => isReady(other.running));
      const { clientId, clientSecret } = gateway.sandbox;
      const { token } = await new Client(`${other.running.url}/v2`).login(clientId, clientSecret);
      assert.equal((await account(other.running, token)).status, 200);
      const charge = await dueChargeOf(other);
      other.moveTo(2 * HOUR);
      assert.equal((await account(other.running, token)).status, 503);
      await eventually("an error that names the clock", () => other.errors().length === 1);
      await wakeOften(other.running);
      assert.equal(await charge.status(), "pending");
      other.moveTo(0);
      await eventually("it to be ready again", () => isReady(other.running));
      assert.equal((await account(other.running, token)).status, 200);
      assert.equal(await charge.status(), "pending");
    } finally {
      await other.stop();
    }
  });
});

/** A charge that becomes due in the moment in which the clock jumps. */
async function dueChargeOf(other: Awaited<ReturnType<typeof startBeside>>) {
  const charge = await dueCharge();
  await eventually("its first check", charge.isChecked);
  await gateway.owner.query(
    sql`update open_charges set check_at = ${new Date(Date.now() + HOUR)} where charge_id = ${charge.id}`,
  );
  other.running.ctx.hints.wake("charges");
  return charge;
}

describe("What a process with a wrong clock has made", () => {
  test("is believed by nobody: neither its tokens nor its sessions", async () => {
    // As an older version would: it does not compare the clocks.
    const other = await startBeside(2 * HOUR, { PIXGATE_ROLE: "api", PIXGATE_CLOCK_CHECK: "off" });
    try {
      const { clientId, clientSecret } = gateway.sandbox;
      const answer = await fetch(`${other.running.url}/v2/auth`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ client_id: clientId, client_secret: clientSecret }),
      });
      assert.equal(answer.status, 200);
      const { access_token: token } = (await answer.json()) as { access_token: string };
      assert.equal((await account(other.running, token)).status, 200);
      assert.equal((await account(gateway.running, token)).status, 401);

      const browser = new Browser(other.running.url);
      await browser.use(other.running.consoleUrl!.split("#link=")[1]!);
      assert.equal((await browser.send("GET", "/console/api/session")).status, 200);
      const here = new Browser(gateway.running.url);
      here.cookie = browser.cookie;
      assert.equal((await here.send("GET", "/console/api/session")).status, 401);
    } finally {
      await other.stop();
    }
  });
});
