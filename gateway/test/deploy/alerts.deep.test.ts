/**
 * Alerts fire by real faults, each of them twice in a row and once however many processes see it: two processes of the API, a
 * worker, hardly any traffic, and a real Prometheus with the rules that are delivered, whose thresholds and windows stay and whose
 * `for` is a second (two rules count over a minute, in a Prometheus of their own). Where an alert is a matter of time, the rows are made older. InstitutionDown is in outages.deep.
 */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { pay } from "../contract/payments.ts";
import { makeCertificates } from "../harness/certificates.ts";
import { eventually } from "../harness/eventually.ts";
import { freePort } from "../harness/free-port.ts";
import { AN_ID, hasPrometheus, OBSERVABILITY } from "../harness/prometheus.ts";
import { startWatchedWorld, type WatchedWorld } from "../harness/watched-world.ts";

const [soon, late] = [makeCertificates(2), makeCertificates(400)];
const missing = hasPrometheus() ? soon === null && "openssl" : "prometheus";
const skip = missing ? `there is no ${missing} here` : false;
const WAIT = 60_000;
/** Of webhooks: as many as a wallet may have. */
const ENDPOINTS = 20;
const AT_ONCE = 25;
/** Calls that may wait at the second process of the API. */
const MOST = 8;
/** Clean answers after which the errors of a moment are less than 1 % of five minutes. */
const ANSWERS = 1_500;

type Answer = { readonly status: number; readonly text: string };
const ok = ({ status, text }: Answer): void => assert.ok(status < 300, text);

describe("A real Prometheus that reads two processes of the API and a worker", { skip }, () => {
  let world: WatchedWorld;
  const firing = async () => (await world.prometheus.firing()).map(({ labels }) => labels.alertname!);
  const operator = () => world.gateway.operator;
  const bank = () => world.gateway.simulator;
  const owner = () => world.gateway.owner;
  const today = () => new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 10);
  const reconcile = async () => ok(await operator().post(`/reconciliation/${today()}`));
  type Day = { institutions: { balance: { difference: number | null } }[] };
  const difference = async () => {
    const { body } = await operator().post<Day>(`/reconciliation/${today()}`);
    return Math.round(body.institutions[0]!.balance.difference! * 100);
  };
  const opening = async (centavos: number) => {
    const { body } = await bank().get<{ openingBalanceCentavos: number }>("/behaviour");
    ok(await bank().patch("/behaviour", { openingBalanceCentavos: body.openingBalanceCentavos + centavos }));
  };
  const fault = async (...routes: string[]) => {
    const rules = routes.map((route) => ({ route, kind: "error5xxBefore", probability: 1 }));
    ok(await bank().patch("/behaviour", { faults: { seed: 1, rules } }));
  };
  const mended = async () => ok(await bank().patch("/behaviour", { faults: { seed: 1, rules: [] } }));
  const credit = async (amount: number) =>
    ok(
      await operator().post(`/accounts/${world.gateway.sandbox.accountId}/adjustments`, {
        ...{ amount, balance: "available", reason: "a test" },
      }),
    );

  before(async () => {
    world = await startWatchedWorld({ PIXGATE_CALLS_WAITING: String(MOST) });
    // What the bank held before is not in the books, and would be an alert of its own.
    await opening(-(await difference()));
    assert.equal(await difference(), 0);
  });
  after(async () => {
    await world?.stop();
    for (const one of [soon, late]) one?.remove();
    await world?.gateway.stop().catch((error: unknown) => assert.match((error as Error).message, /errors were logged/));
    // The auditor logs each finding, and each account that it freezes, as an error, and a copy is one; nothing else may be.
    for (const error of world?.gateway.takeErrors() ?? [])
      assert.match(error, /the books are broken|withdrawals of an account are frozen|restored copy/);
  });

  beforeEach(() => world.login());

  test("fires nothing of a gateway without a fault, and nothing for a withdrawal that has just begun to hang", async () => {
    await pay(world.gateway.merchant, 100);
    await withdraw();
    const isRead = async () =>
      (await world.prometheus.query("max(pixgate_payout_oldest_pending_seconds) > 2")).result.length > 0;
    await eventually("its age to be read", isRead, WAIT);
    const isQuiet = async () => {
      assert.deepEqual(await firing(), []);
      return true;
    };
    await eventually("nothing to fire", isQuiet, WAIT);
    await settle();
  });

  /** One that hangs at the bank. */
  async function withdraw(): Promise<void> {
    ok(
      await world.gateway.merchant.post("/withdrawals", {
        ...{ pixKey: "manual@pixgate.test", pixKeyType: "email", amount: 10 },
        ...{ holderName: "Maria Silva", holderDocument: "12345678909", holderDocumentType: "cpf" },
      }),
    );
  }
  /** The bank fails all that hang. */
  async function settle(): Promise<void> {
    const pending = async () =>
      (await owner().query(sql`select from withdrawals where transaction_status = 'pending'`)).rows.length;
    await eventually("no withdrawal to hang", async () => {
      const { items } = (await bank().get<{ items: { idEnvio: string }[] }>("/payouts")).body;
      for (const { idEnvio } of items) await bank().post(`/payouts/${idEnvio}/settle`, { outcome: "fail" });
      return (await pending()) === 0;
    });
  }

  test("CommitsSlow, where something locks the accounts for seconds", async () => {
    // A rate begins at a counter's second value.
    await credit(1);
    const isShown = async () => (await world.prometheus.query("pixgate_lane_batch_seconds_count")).result.length > 0;
    await eventually("the first batches to be read", isShown, WAIT);
    await world.twice(["CommitsSlow"], async () => {
      const isSlow = async () => {
        const [adjusted] = await owner().transaction(async (tx) => {
          await tx.query(sql`lock table accounts in exclusive mode`);
          const waits = credit(1);
          await tx.query(sql`select pg_sleep(8)`);
          return [waits];
        });
        await adjusted;
        return (await firing()).includes("CommitsSlow");
      };
      await eventually("CommitsSlow to fire", isSlow, WAIT);
      return async () => {
        for (let i = 0; i < 25; i += 1) await credit(1);
      };
    });
  });

  test("MoneyUnmatched and DisputeUnanswered", async () => {
    await world.twice(["MoneyUnmatched", "DisputeUnanswered"], async () => {
      const { merchant } = world.gateway;
      const { id: transactionId } = await pay(merchant, 10);
      const block = await merchant.post<{ id: string }>("/sandbox/balance-blocks", { transactionId });
      ok(block);
      const tomorrow = new Date(Date.now() + 86_400_000);
      await owner().query(sql`update balance_blocks set respond_by = ${tomorrow} where block_id = ${block.body.id}`);
      ok(await bank().post("/pix", { amountCentavos: 999, txid: `foreign${randomBytes(12).toString("hex")}` }));
      const unmatched = async () =>
        (await operator().get<{ items: { id: string }[] }>("/unmatched?status=open")).body.items[0];
      const { id } = await eventually("the unmatched Pix", unmatched);
      return async () => {
        ok(await operator().post(`/unmatched/${id}/resolve`, { action: "return" }));
        ok(await merchant.post(`/balance-blocks/${block.body.id}/defense`, { text: "It was delivered." }));
      };
    });
  });

  test("DayDisagrees and BankBalanceDiffers, for lists that the bank does not give and money that nobody recorded", async () => {
    await world.twice(["DayDisagrees", "BankBalanceDiffers"], async () => {
      await opening(12_345);
      await fault("listPix");
      await reconcile();
      return async () => {
        await mended();
        await opening(-12_345);
        await reconcile();
      };
    });
  });

  test("ErrorsAnswered, for charges at an only bank that answers none", async () => {
    await world.twice(["ErrorsAnswered"], async () => {
      await fault("putCob");
      const isFired = async () => {
        for (const merchant of world.merchants)
          assert.equal((await merchant.post("/pix", { amount: 50, description: "a sale" })).status, 500);
        return (await firing()).includes("ErrorsAnswered");
      };
      await eventually("ErrorsAnswered to fire", isFired, WAIT);
      return async () => {
        await mended();
        const ends = async () => {
          await Promise.all(Array.from({ length: 50 }, () => operator().get("/institutions")));
          return !(await firing()).includes("ErrorsAnswered");
        };
        for (let answered = 0; answered < ANSWERS; answered += 50) if (await ends()) return;
        await eventually("ErrorsAnswered to end", ends, WAIT);
      };
    });
  });

  test("ProcessDown, NobodyAudits, NotificationsWait, PayoutsWait, ReconciliationOld and BankBalanceOld, where the worker stands still", async (t) => {
    t.after(() => world.processes.worker.child.kill("SIGCONT"));
    const isCompared = async () => {
      await owner().query(sql`update balance_watches set next_at = ${new Date(0)}`);
      return (
        (await owner().query(sql`select from balance_checks where sampled_at > now() - interval '1 minute'`)).rows
          .length > 0
      );
    };
    await reconcile();
    ok(await operator().post("/ledger/audits", { mode: "fresh" }));
    await eventually("a balance that was compared", isCompared);
    const waits = ["NotificationsWait", "PayoutsWait", "ReconciliationOld", "BankBalanceOld"];
    await world.twice(["ProcessDown", "NobodyAudits", ...waits], async () => {
      const { child } = world.processes.worker;
      const charge = await world.gateway.merchant.post<{ id: string }>("/pix", { amount: 50, description: "a sale" });
      const sold = await world.gateway.merchant.get<{ txid: string }>(`/transactions/${charge.body.id}`);
      child.kill("SIGSTOP");
      ok(await bank().post("/pix", { amountCentavos: 50_00, txid: sold.body.txid }));
      await withdraw();
      const day = new Date(Date.now() - 37 * 3_600_000);
      for (const older of [
        sql`update audits set checked_at = ${day}`,
        sql`update inbox set received_at = ${day} where status = 'pending'`,
        sql`update withdrawals set created_at = ${day} where transaction_status = 'pending'`,
        sql`update reconciliations set checked_at = ${day}`,
        sql`update balance_checks set sampled_at = sampled_at - interval '37 hours'`,
      ])
        await owner().query(older);
      return async () => {
        child.kill("SIGCONT");
        await settle();
        await reconcile();
        await eventually("a balance that was compared", isCompared);
        await owner().query(sql`update audits set due_at = ${new Date(0)}`);
      };
    });
  });

  test("BooksBroken, for a balance that comes from nowhere", async () => {
    const { accountId } = world.gateway.sandbox;
    const add = (centavos: number) =>
      owner().query(sql`
        update ledger_accounts set balance = balance + ${centavos}
        where account_id = ${accountId} and no = (select min(no) from ledger_accounts where account_id = ${accountId})`);
    const audited = async () => {
      const { status, body, text } = await operator().post<{ ok: boolean }>("/ledger/audits", { mode: "full" });
      assert.equal(status, 201, text);
      return body.ok;
    };
    await world.twice(["BooksBroken"], async () => {
      await add(1);
      assert.equal(await audited(), false);
      return async () => {
        await add(-1);
        ok(await operator().post(`/accounts/${accountId}/lift-freeze`, { reason: "it was a test" }));
        assert.equal(await audited(), true);
      };
    });
  });

  test("DatabaseRestored", async () => {
    await world.twice(["DatabaseRestored"], async () => {
      ok(await operator().post("/restore/begin", { reason: "a snapshot" }));
      return async () => {
        const how = { reason: "It lives.", openWithdrawals: "confirm_all" };
        const ended = await operator().post<{ restored: boolean }>("/restore/finish", how);
        ok(ended);
        assert.equal(ended.body.restored, false, ended.text);
      };
    });
  });

  test("WebhooksWait, for 10,020 webhooks whose receivers are away", async () => {
    await world.twice(["WebhooksWait"], async () => {
      const endpoints: string[] = [];
      for (let i = 0; i < ENDPOINTS; i += 1) {
        const made = await world.gateway.merchant.post<{ id: string }>("/webhook-endpoints", {
          url: `http://127.0.0.1:9/${i}`,
        });
        ok(made);
        endpoints.push(made.body.id);
      }
      const sell = async () => {
        const charge = await world.gateway.merchant.post<{ id: string }>("/pix", { amount: 5, description: "a sale" });
        ok(charge);
        ok(await world.gateway.merchant.post(`/sandbox/pix/${charge.body.id}/pay`));
      };
      for (let sold = 0; sold < 10_020 / ENDPOINTS; sold += AT_ONCE)
        await Promise.all(Array.from({ length: AT_ONCE }, sell));
      return async () => {
        for (const id of endpoints)
          ok(await world.gateway.merchant.send("DELETE", `/webhook-endpoints/${id}`, undefined));
      };
    });
  });

  test("CertificateEnds, for a bank that is away beside", async () => {
    const dead = `http://127.0.0.1:${await freePort()}`;
    const config = {
      ...{ baseUrl: `${dead}/v2`, tokenUrl: `${dead}/oauth/token`, pixKey: "away@pixgate.test" },
      ...{ clientId: "none", clientSecret: "none" },
    };
    const proofOf = (one: typeof soon) => ({
      certificate: one!.read("client.pem").toString(),
      privateKey: one!.read("client.key").toString(),
    });
    const made = await operator().post<{ id: string }>("/institutions", {
      ...{ name: "Away", provider: "efi", environment: "sandbox", priority: 100 },
      config: { ...config, ...proofOf(late) },
    });
    ok(made);
    const prove = async (one: typeof soon) =>
      ok(await operator().patch(`/institutions/${made.body.id}`, { config: proofOf(one) }));
    await world.twice(["CertificateEnds"], async () => {
      await prove(soon);
      return () => prove(late);
    });
  });

  test("runs every query of the dashboard: none is invalid, none empty, and what they show has names", async () => {
    type Panel = { title: string; targets: { expr: string }[] };
    const { panels } = JSON.parse(readFileSync(join(OBSERVABILITY, "dashboard.json"), "utf8")) as { panels: Panel[] };
    await pay(world.gateway.merchant, 50);
    for (const { title, targets } of panels) {
      for (const { expr } of targets) {
        const isShown = async () => {
          const { status, result } = await world.prometheus.query(expr);
          assert.equal(status, "success", expr);
          for (const { metric } of result) assert.doesNotMatch(Object.values(metric).join(" "), AN_ID, title);
          return result.length > 0;
        };
        await eventually(`${title}: ${expr}`, isShown, WAIT);
      }
    }
  });

  // Over the delivered windows of five minutes and an hour they would not end within a test: here they count over a minute.
  // That they fire by the delivered windows too is seen the first time.
  test("CallsRefused, where more calls wait than may, and ProcessRestarts, for a third start", async () => {
    const [, merchant] = world.merchants;
    const hook = (i: number) => merchant!.post("/webhook-endpoints", { url: `http://127.0.0.1:9/more/${i}` });
    const isRefused = async () => {
      const calls = await owner().transaction(async (tx) => {
        await tx.query(sql`lock table webhook_endpoints in access exclusive mode`);
        const all = Array.from({ length: 2 * MOST }, (_, i) => hook(i));
        assert.equal((await Promise.race(all)).status, 503);
        return all;
      });
      for (const { status } of await Promise.all(calls)) assert.ok(status >= 400, String(status));
      return (await world.briefly.firing()).some(({ labels }) => labels.alertname === "CallsRefused");
    };
    // Prometheus sees a start where the process before it had been up for longer than the next one has when it is first read.
    const isOld = async () => (await world.briefly.query("process_uptime_seconds > 15")).result.length === 3;
    const alerts = ["CallsRefused", "ProcessRestarts"];
    const breaks = async () => {
      await eventually("a process that has been up for a while", isOld, WAIT);
      await world.restart("api");
      await eventually("CallsRefused to fire", isRefused, WAIT);
      await eventually("a process that has been up for a while", isOld, WAIT);
      await world.restart("api");
      for (const alert of alerts) {
        await world.prometheus.fires(alert);
        assert.equal((await firing()).filter((other) => other === alert).length, 1);
      }
      return async () => {};
    };
    await world.twice(alerts, breaks, world.briefly);
  });

  test("ClockWrong, for a process two hours ahead", async () => {
    const isRead = async () => (await world.prometheus.query("process_uptime_seconds > 1")).result.length === 3;
    await world.twice(["ClockWrong"], async () => {
      await world.restart("api", { PIXGATE_CLOCK_OFFSET: "7200" });
      await eventually("Prometheus to read the process", isRead, WAIT);
      return () => world.restart("api");
    });
  });
});
