import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomUUID, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { createInbox } from "../../src/inbox/receive.ts";
import { notificationPath } from "../../src/institutions/notification-path.ts";
import type { Notification } from "../../src/psp/psp.ts";
import { BANK } from "../harness/bank.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { sendNotifications, silentInstitution } from "../hostile/notifications.ts";

let gateway: TestGateway;
before(async () => {
  // The proxy in front is the test itself.
  gateway = await startGateway({ PIXGATE_TRUSTED_PROXIES: "127.0.0.1" });
});
after(() => gateway.end());

const db = () => gateway.running.ctx.db;

const institution = (config: Record<string, unknown> = {}) => silentInstitution(gateway, config);

async function notify(path: string, body: string | Uint8Array, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(gateway.running.url + path, { method: "POST", body: body as string, headers });
  await response.arrayBuffer();
  return response.status;
}
const kept = async (id: string) =>
  (
    await db().query<{ body: string; status: string }>(
      sql`select body, status from inbox where institution_id = ${id} order by inbox_id`,
    )
  ).rows;

describe("a notification from a PSP", () => {
  test("is taken on its secret path, with or without the suffix, and kept whatever it says", async () => {
    const { id, path } = await institution();
    const bodies = ['{"teste":true}', "no json at all", "[]", '{"pix":"x"}', '{"pix":[{"endToEndId":"E1"}]}', "<xml/>"];
    for (const [i, body] of bodies.entries()) {
      assert.equal(await notify(path + ["", "/pix", "//pix"][i % 3], body), 200, body);
    }
    assert.equal(await notify(path, ""), 200);
    const rows = await kept(id);
    assert.deepEqual(rows.map((row) => row.body).sort(), [...bodies].sort());
    assert.deepEqual(new Set(rows.map((row) => row.status)), new Set(["ignored"]));
  });

  test("on any other path is nothing, and leaves nothing", async () => {
    const [one, other] = [await institution(), await institution()];
    const before = (await db().query<{ n: number }>(sql`select count(*)::int as n from inbox`)).rows[0]!.n;
    const secret = one.path.split("/").at(-1)!;
    for (const path of [
      `/psp/${one.id}/wrong`,
      `/psp/${other.id}/${secret}`,
      `/psp/${one.id}/${secret}x`,
      `/psp/${one.id}/${secret.slice(0, -1)}`,
      `/psp/not-an-id/${secret}`,
      `/psp/${one.id}`,
    ]) {
      assert.equal(await notify(path, '{"pix":[]}'), 404, path);
    }
    assert.equal((await db().query<{ n: number }>(sql`select count(*)::int as n from inbox`)).rows[0]!.n, before);
  });

  test("credits nothing by itself: what the PSP does not confirm stays a hint", async () => {
    const { rows } = await db().query<{ institution_id: string }>(
      sql`select institution_id from institutions where provider = ${BANK}`,
    );
    const path = notificationPath(gateway.running.ctx.keys, rows[0]!.institution_id);
    const charge = await gateway.merchant.post<{ id: string }>("/pix", { amount: 50, description: "forged" });
    const stored = await db().query<{ txid: string }>(
      sql`select txid from charges where charge_id = ${charge.body.id}`,
    );
    const e2eId = `E00000000${"202611210000"}${"FORGED00001"}`;
    const pix = { endToEndId: e2eId, txid: stored.rows[0]!.txid, valor: "50.00", horario: new Date().toISOString() };
    assert.equal(await notify(path, JSON.stringify({ pix: [pix] })), 200);
    await eventually("it to be asked about", async () => {
      const asked = await db().query<{ attempts: number }>(sql`select attempts from inbox where subject_id = ${e2eId}`);
      return (asked.rows[0]?.attempts ?? 0) >= 1;
    });
    assert.equal((await gateway.merchant.get(`/transactions/${charge.body.id}`)).body.status, "pending");
  });

  test("of a Pix, of its return, of a payout and of a case is a row each; one of a case has the cases listed now", async () => {
    const { ctx } = gateway.running;
    const found = await db().query<{ account_id: string; institution_id: string }>(sql`
      select account_id, institution_id from accounts, institutions where is_house and provider = ${BANK}`);
    const { account_id: houseId, institution_id: institutionId } = found.rows[0]!;
    const institution = (await ctx.psps.find(institutionId))!;
    const subject = randomUUID();
    const [paid, returned] = ["charge_paid", "return_moved"].map((kind, i) => {
      const pix = {
        e2eId: `E0000000020261121000${i}${subject.slice(0, 12)}`,
        amount: 1,
        paidAt: new Date(),
        returns: [],
      };
      return { kind: kind as "charge_paid", pix };
    });
    const notifications: readonly Notification[] = [
      paid!,
      { ...returned!, kind: "return_moved" },
      { kind: "payout_moved", payoutId: subject },
      { kind: "case_opened", caseId: subject },
      { kind: "case_opened", caseId: subject },
    ];
    const psp = { ...institution.psp, readNotification: () => notifications };
    const listedAt = ctx.clock.date();
    await createInbox(ctx, houseId, null).receive({ ...institution, psp }, {}, subject);
    const { rows } = await db().query<{ kind: string; subject_id: string }>(sql`
      select kind, subject_id from inbox where subject_id = any(${[subject, paid!.pix.e2eId, returned!.pix.e2eId]})
      order by kind`);
    assert.deepEqual(
      rows.map((row) => [row.kind, row.subject_id]),
      [
        ["case_opened", subject],
        ["charge_paid", paid!.pix.e2eId],
        ["payout_moved", subject],
        ["return_moved", returned!.pix.e2eId],
      ],
    );
    const offers = institution.psp.infractions !== undefined;
    await eventually("the case to be applied, or given up at a bank that lists none", async () => {
      const { rows } = await db().query<{ status: string }>(
        sql`select status from inbox where kind = 'case_opened' and subject_id = ${subject}`,
      );
      return rows[0]?.status === (offers ? "applied" : "abandoned");
    });
    if (!offers) return;
    await eventually("the cases to be listed", async () => {
      const { rowCount } = await db().query(sql`
        select from infraction_polls where institution_id = ${institutionId} and covered_until > ${listedAt}`);
      return rowCount === 1;
    });
  });

  test("is refused from other addresses where the institution's are known", async () => {
    const { id, path } = await institution({ notificationIps: ["192.0.2.0/24", "2001:db8::1"] });
    assert.equal(await notify(path, '{"a":1}'), 403);
    assert.equal(await notify(path, '{"a":2}', { "x-forwarded-for": "198.51.100.7" }), 403);
    assert.equal(await notify(path, '{"a":3}', { "x-forwarded-for": "192.0.2.1, 198.51.100.7" }), 403);
    assert.deepEqual(await kept(id), []);
    assert.equal(await notify(path, '{"a":4}', { "x-forwarded-for": "198.51.100.7, 192.0.2.200" }), 200);
    assert.equal(await notify(path, '{"a":5}', { "x-forwarded-for": "2001:db8::1" }), 200);
    assert.deepEqual(
      (await kept(id)).map((row) => row.body),
      ['{"a":4}', '{"a":5}'],
    );
  });

  test("is refused without the client certificate that the institution shows", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "pixgate-certificate-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const make = (name: string) => {
      const args = [
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-keyout",
        "k.pem",
        "-out",
        `${name}.pem`,
        "-days",
        "2",
      ];
      execFileSync("openssl", [...args, "-subj", `/CN=${name}`], { cwd: folder, stdio: "pipe" });
      return readFileSync(join(folder, `${name}.pem`), "utf8");
    };
    let bank: string;
    try {
      bank = make("bank");
    } catch {
      return t.skip("there is no openssl here to make a certificate with");
    }
    const { raw, fingerprint256 } = new X509Certificate(bank);
    const { id, path } = await institution({
      notificationCertificates: [fingerprint256.replaceAll(":", "").toLowerCase()],
    });
    const other = new X509Certificate(make("other")).raw.toString("base64");
    assert.equal(await notify(path, '{"a":1}'), 403);
    assert.equal(await notify(path, '{"a":2}', { "client-cert": `:${other}:` }), 403);
    assert.equal(await notify(path, '{"a":3}', { "client-cert": "nonsense" }), 403);
    assert.deepEqual(await kept(id), []);
    assert.equal(await notify(path, '{"a":4}', { "client-cert": `:${raw.toString("base64")}:` }), 200);
    assert.equal(await notify(path, '{"a":5}', { "client-cert": encodeURIComponent(bank) }), 200);
    assert.equal((await kept(id)).length, 2);
  });

  test("may be anything: 300 malformed ones are each answered, and none of them breaks anything", async () => {
    const { path } = await institution();
    const seed = Number(process.env.FC_SEED ?? Date.now() % 2 ** 31);
    const problems = await sendNotifications(gateway.running.url + path, { seed, runs: 300 });
    assert.deepEqual(problems, [], `seed ${seed}`);
    const { rows } = await db().query<{ n: number }>(sql`select count(*)::int as n from ledger_transfers`);
    assert.equal(rows[0]!.n, 0);
  });
});
