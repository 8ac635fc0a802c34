/** The balance of an institution that reports none, entered by operators from its statement. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { closeInstitutions } from "../../src/close/institutions.ts";
import { readClosed } from "../../src/close/read.ts";
import { sql } from "../../src/db/sql.ts";
import { dayOf, dayWindow } from "../../src/lib/days.ts";
import type { Client } from "../harness/client.ts";
import { approveCase, rejectCase } from "../harness/decide.ts";
import { startGateway } from "../harness/gateway.ts";
import { operatorOf } from "../harness/operator.ts";

type Case = {
  id: string;
  kind: string;
  status: string;
  amount: number;
  evidence: { says: string; source: string; owners?: unknown; data: Record<string, unknown> };
  proposal?: { status: string; result?: { code?: string; verdict?: string } };
};
type Entered = {
  institutionId: string;
  verdict: string;
  difference: number;
  details?: { code: string; caseId?: string; issues?: { path: string }[] };
};

const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

/** A gateway with an institution that reports no balance, and holds nothing by the books. */
async function startSilent(settings: Record<string, string>) {
  const gateway = await startGateway(settings);
  const made = await gateway.operator.post<{ id: string }>("/institutions", {
    ...{ name: "Without balances", provider: "api-pix", environment: "sandbox", priority: 400 },
    config: {
      ...{ baseUrl: "http://127.0.0.1:9/v2", tokenUrl: "http://127.0.0.1:9/oauth/token", clientId: "id" },
      ...{ clientSecret: "secret", pixKey: "key@example.com" },
    },
  });
  assert.equal(made.status, 201, made.text);
  const silent = made.body.id;
  const enter = (body: Record<string, unknown>, who: Client = gateway.operator, id = silent) =>
    who.post<Entered>(`/institutions/${id}/balance`, body);
  /** The newest case of a kind. */
  const newest = async (kind = "balance_drift") =>
    (await gateway.operator.get<{ items: Case[] }>(`/cases?kind=${kind}`)).body.items[0];
  /** What was compared: time, verdict and who entered it. */
  const checks = async () =>
    (
      await gateway.owner.query<{ verdict: string; entered_by: string }>(sql`
      select verdict, entered_by from balance_checks where institution_id = ${silent} order by sampled_at`)
    ).rows;
  const stop = async () => {
    await gateway.end();
  };
  return { gateway, silent, enter, newest, checks, stop };
}
type Silent = Awaited<ReturnType<typeof startSilent>>;

describe("the balance of an institution that reports none", () => {
  let it: Silent;
  before(async () => {
    it = await startSilent({});
  });
  after(() => it.stop());

  test("is compared at once: a difference is a case in the operator's words, which the next figure that agrees closes", async () => {
    const ana = await operatorOf(it.gateway, "Ana", "finance");
    const entered = await it.enter({ balance: 12.34, at: minutesAgo(5) }, ana);
    assert.deepEqual([entered.status, entered.body.verdict, entered.body.difference], [200, "differs", 12.34], entered.text);
    const { status, amount, evidence } = (await it.newest())!;
    assert.deepEqual([status, amount], ["open", 12.34]);
    assert.deepEqual([evidence.source, evidence.data.theirs, evidence.data.enteredBy], ["operator", 1_234, "Ana"]);
    assert.match(evidence.says, /^Ana entered a balance\./);
    assert.equal(evidence.owners, undefined, "who stands behind an operator is shown to nobody");
    const agrees = await it.enter({ balance: 0, at: minutesAgo(2) });
    assert.deepEqual([agrees.status, agrees.body.verdict], [200, "agrees"], agrees.text);
    assert.equal((await it.newest())?.status, "closed");
    assert.deepEqual(evidence.data.tariffs, undefined, "what is too much is no tariff");
    assert.deepEqual((await it.checks()).map(({ verdict }) => verdict), ["differs", "agrees"]);
    assert.equal((await it.checks())[0]!.entered_by, "Ana");
  });

  test("is refused where the institution reports it, within a minute, a week ago, or before the newest one; nothing is compared", async () => {
    const [own] = (await it.gateway.running.ctx.psps.all()).filter(({ psp }) => psp.balance);
    assert.equal((await it.enter({ balance: 1, at: minutesAgo(1.5) })).status, 200);
    const before = await it.checks();
    for (const [path, body, id] of [
      ["at", { balance: 1, at: minutesAgo(-5) }, it.silent],
      ["at", { balance: 1, at: minutesAgo(0.5) }, it.silent],
      ["at", { balance: 1, at: minutesAgo(8 * 1_440) }, it.silent],
      ["at", { balance: 1, at: minutesAgo(60) }, it.silent],
      ["id", { balance: 1, at: minutesAgo(1.2) }, own?.institutionId],
    ] as const) {
      if (id === undefined) continue;
      const reply = await it.enter(body, it.gateway.operator, id);
      assert.equal(reply.status, 400, reply.text);
      assert.deepEqual(reply.body.details?.issues?.map((issue) => issue.path), [path]);
    }
    assert.equal((await it.enter({ balance: 1, at: minutesAgo(1.2), more: 1 })).status, 400);
    assert.deepEqual(await it.checks(), before);
  });

  test("says where less is there that the bank reports no tariffs, so that they are the first thing to look for", async () => {
    await it.gateway.owner.query(sql`delete from balance_checks`);
    const entered = await it.enter({ balance: -0.9, at: minutesAgo(4) });
    assert.deepEqual([entered.status, entered.body.verdict], [200, "differs"], entered.text);
    const { evidence } = (await it.newest())!;
    assert.deepEqual([evidence.data.difference, evidence.data.tariffs], [-90, "unreported"]);
    assert.match(evidence.says, /does not report its tariffs/);
    assert.equal((await it.enter({ balance: 0, at: minutesAgo(2) })).body.verdict, "agrees");
  });

  test("two figures that are entered at once are compared one after the other, and none is lost", async () => {
    await it.gateway.owner.query(sql`delete from balance_checks`);
    const replies = await Promise.all([4, 3, 2].map((ago) => it.enter({ balance: ago, at: minutesAgo(ago) })));
    const taken = replies.filter(({ status }) => status === 200);
    assert.ok(taken.length > 0);
    for (const reply of replies) assert.ok([200, 400].includes(reply.status), reply.text);
    assert.equal((await it.checks()).length, taken.length);
  });
}); // biome-ignore format: rows

describe("where two persons decide", () => {
  let it: Silent;
  let [ana, bia, eva]: Client[] = [];
  before(async () => {
    it = await startSilent({
      ...{ PIXGATE_ROLE: "api", PIXGATE_TWO_PERSONS: "off", PIXGATE_TWO_PERSONS_ABOVE: "100.00" },
    });
    [ana, bia, eva] = await Promise.all(["Ana", "Bia", "Eva"].map((name) => operatorOf(it.gateway, name, "finance")));
  });
  after(() => it.stop());

  test("a figure that agrees waits for a second one: it closes no case, and makes no day agree, before", async () => {
    assert.equal((await it.enter({ balance: 12.34, at: minutesAgo(600) }, ana)).status, 200);
    const at = minutesAgo(500);
    const alone = await it.enter({ balance: 0, at }, ana);
    assert.deepEqual([alone.status, alone.body.details?.code], [403, "TWO_PERSONS_REQUIRED"], alone.text);
    assert.equal((await it.newest())!.status, "open");
    assert.equal((await it.checks()).length, 1);
    const again = await it.enter({ balance: 0, at }, bia);
    assert.equal(again.body.details?.caseId, alone.body.details!.caseId, "whoever enters it finds the same case");
    const waiting = alone.body.details!.caseId!;
    assert.equal((await approveCase(ana!, waiting)).status, 403);
    const done = await approveCase<Case>(bia!, waiting);
    assert.deepEqual([done.body.proposal?.status, done.body.proposal?.result?.verdict], ["executed", "agrees"], done.text);
    assert.equal((await it.newest())!.status, "closed");
    assert.deepEqual((await it.checks()).map((one) => one.entered_by), ["Ana", "Ana"]);
  });

  test("one that waits and is rejected, or is older than one that was compared meanwhile, is not compared", async () => {
    const [first, second] = [minutesAgo(400), minutesAgo(300)];
    const rejected = (await it.enter({ balance: 0, at: second }, ana)).body.details!.caseId!;
    assert.equal((await rejectCase(eva!, rejected)).status, 200);
    const late = (await it.enter({ balance: 0, at: first }, ana)).body.details!.caseId!;
    assert.equal((await it.enter({ balance: -1, at: second }, bia)).status, 200);
    const done = await approveCase<Case>(eva!, late);
    assert.equal(done.body.proposal?.status, "refused", done.text);
    assert.deepEqual((await it.checks()).map(({ verdict }) => verdict), ["differs", "agrees", "differs"]);
  });

  test("whoever entered a figure neither proposes nor approves what is booked of it", async () => {
    assert.equal((await it.enter({ balance: -150, at: minutesAgo(200) }, ana)).status, 200);
    const { id } = (await it.newest())!;
    const wanted = { action: "book_difference", parameters: { kind: "sweep", amount: 150 } };
    const own = await ana!.post<Entered>(`/cases/${id}/propose`, wanted);
    assert.deepEqual([own.status, own.body.details?.code], [403, "APPROVAL_BY_CREATOR"], own.text);
    assert.equal((await it.newest())!.proposal, undefined);
    assert.equal((await bia!.post<Case>(`/cases/${id}/propose`, wanted)).body.proposal?.status, "awaiting_approval");
    const approved = await approveCase<Entered>(ana!, id);
    assert.deepEqual([approved.status, approved.body.details?.code], [403, "APPROVAL_BY_CREATOR"], approved.text);
    const { rowCount } = await it.gateway.owner.query(sql`select from treasury_entries`);
    assert.equal(rowCount, 0);
    assert.equal((await rejectCase(eva!, id)).status, 200);
  });

  test("a payout that left after the figure's moment excuses nothing; one that had left by then may", async () => {
    const returnId = randomUUID();
    await it.gateway.owner.query(sql`
      insert into pix_returns (account_id, return_id, e2e_id, purpose, description, psp_id, institution_id, amount, status, left_at, next_at,
        created_at, updated_at)
      select account_id, ${returnId}, 'E1', 'deposit', 'a test', 'D1', ${it.silent}, 500, 'sending', ${new Date(minutesAgo(60))},
        now() + interval '1 hour', now(), now() from accounts where is_house`);
    try {
      const early = await it.enter({ balance: -5, at: minutesAgo(90) }, ana);
      assert.deepEqual([early.status, early.body.verdict], [200, "differs"], early.text);
      assert.equal((await it.newest())!.evidence.data.underWay, 0);
      const later = await it.enter({ balance: -5, at: minutesAgo(30) }, ana);
      assert.deepEqual([later.status, later.body.details?.code], [403, "TWO_PERSONS_REQUIRED"], later.text);
    } finally {
      await it.gateway.owner.query(sql`delete from pix_returns where return_id = ${returnId}`);
    }
  });

  test("the close of a day names who entered its figure; a day without one says that none is reported", async () => {
    const at = new Date(minutesAgo(600));
    const day = dayOf(at);
    const before = dayOf(new Date(dayWindow(day)!.from.getTime() - 1));
    const undo = new Error("undo");
    await it.gateway.owner
      .transaction(async (tx) => {
        for (const one of [before, "2020-01-01"]) await closeInstitutions(tx, one);
        const shown = async (one: string) =>
          (await readClosed(tx, { first: one, last: one })).institutions.find((of) => of.institutionId === it.silent)!;
        const { theirs, enteredBy } = await shown(before);
        assert.deepEqual([theirs, enteredBy], [1_234, "Ana"]);
        const none = await shown("2020-01-01");
        assert.deepEqual([none.theirs, none.enteredBy, none.theirsMissing], [null, null, "not_reported"]);
        throw undo;
      })
      .catch((error: unknown) => assert.equal(error, undo));
  });
}); // biome-ignore format: rows
