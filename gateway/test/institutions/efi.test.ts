/** The main thread over a bank as it is in production: Efí's dialect, its habits, mTLS, and no sandbox to help. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { notificationPath } from "../../src/institutions/notification-path.ts";
import { type Certificates, makeCertificates } from "../harness/certificates.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { startSimulatorPsp } from "../harness/simulator-psp.ts";

type Bank = Awaited<ReturnType<typeof startSimulatorPsp>>;

let gateway: TestGateway;
let receiver: Receiver;
let bank: Bank;
let made: Certificates;
const closers: (() => Promise<void>)[] = [];

describe("a bank of the provider efi, over mTLS", async () => {
  const certificates = makeCertificates();
  if (certificates === null) {
    test("needs openssl to make certificates with", { skip: true });
    return;
  }
  made = certificates;

  before(async () => {
    gateway = await startGateway();
    receiver = await startReceiver();
    await gateway.merchant.post("/webhook-endpoints", { url: receiver.url });
    const shown = {
      ca: made.read("ca.pem").toString(),
      certificate: made.read("client.pem").toString(),
      privateKey: made.read("client.key").toString(),
    };
    bank = await startSimulatorPsp({ after: (close) => closers.push(close as () => Promise<void>) }, shown, [
      ...["--tls-cert", made.path("bank.pem"), "--tls-key", made.path("bank.key")],
      ...["--tls-client-ca", made.path("ca.pem"), "--dialect", "efi"],
    ]);
    await bank.control("PATCH", "/behaviour", { payoutDelayMs: 100 });
    const { clientId, clientSecret, pixKey } = bank.credentials;
    const institution = await gateway.operator.post<{ id: string; certificateExpiresAt: string }>("/institutions", {
      name: "Efí",
      provider: "efi",
      environment: "sandbox",
      config: {
        baseUrl: `${bank.url}/v2`,
        tokenUrl: `${bank.url}/oauth/token`,
        ...{ clientId, clientSecret, pixKey },
        ...shown,
      },
    });
    assert.equal(institution.status, 201, institution.text);
    assert.ok(Date.parse(institution.body.certificateExpiresAt) > Date.now());
    const { id } = institution.body;
    const { ctx } = gateway.running;
    const { rows } = await ctx.db.query<{ institution_id: string }>(
      sql`select institution_id from institutions where provider = 'simulator'`,
    );
    const link = (institutionId: string, enabled: boolean) =>
      gateway.operator.send(
        "PUT",
        `/accounts/${gateway.sandbox.accountId}/institutions/${institutionId}`,
        JSON.stringify({ enabled }),
      );
    assert.equal((await link(id, true)).status, 200);
    assert.equal((await link(rows[0]!.institution_id, false)).status, 200);
    const psp = (await ctx.psps.find(id))!.psp;
    const reported = await psp.registerNotifications!(gateway.running.url + notificationPath(ctx.keys, id));
    assert.equal(reported.kind, "accepted");
  });
  after(async () => {
    await receiver.close();
    await gateway.end();
    for (const close of closers) await close();
    made.remove();
  });

  const db = () => gateway.running.ctx.db;
  const kinds = () => receiver.received.map(({ body }) => (JSON.parse(body) as { event: string }).event);

  /** A charge that was paid at the bank, whose callback notified us. */
  async function paid(amount: number): Promise<{ id: string; e2eId: string }> {
    const charge = await gateway.merchant.post<{ id: string }>("/pix", { amount, description: "Over mTLS" });
    assert.equal(charge.status, 201, charge.text);
    const { id } = charge.body;
    const { rows } = await db().query<{ txid: string }>(sql`select txid from charges where charge_id = ${id}`);
    assert.equal((await bank.psp.sandbox!.payCharge({ txid: rows[0]!.txid })).kind, "accepted");
    let e2eId = "";
    await eventually("the payment", async () => {
      const { body } = await gateway.merchant.get<{ status: string; e2eId: string }>(`/transactions/${id}`);
      e2eId = body.e2eId;
      return body.status === "completed";
    });
    return { id, e2eId };
  }

  test("the test of the connection finds that everything works", async () => {
    const { items } = (await gateway.operator.get<{ items: { id: string; provider: string }[] }>("/institutions")).body;
    const { id } = items.find((one) => one.provider === "efi")!;
    const { body } = await gateway.operator.post<{ ok: boolean; checks: { name: string; result: string }[] }>(
      `/institutions/${id}/test`,
    );
    assert.equal(body.ok, true, JSON.stringify(body));
    assert.deepEqual(
      body.checks
        .filter(({ result }) => result === "works")
        .map(({ name }) => name)
        .sort(),
      [
        "balance",
        "charges",
        "infractions",
        "key",
        "notifications",
        "payouts",
        "received",
        "scopes",
        "settings",
        "token",
      ],
    );
  });

  test("a charge is paid, reported and refunded", async () => {
    const { id } = await paid(50);
    await paid(10);
    // Efí names the payer in the notification alone.
    const shown = await eventually("its payer", async () => {
      const { body } = await gateway.merchant.get(`/transactions/${id}`);
      return body.counterpartDocument !== undefined && body;
    });
    assert.deepEqual([shown.counterpartName, shown.counterpartDocument], ["Maria Teste", "12345678909"]);
    const refund = await gateway.merchant.post<{ status: string; pspProvider: string }>(`/transactions/${id}/refund`);
    assert.deepEqual([refund.status, refund.body.status, refund.body.pspProvider], [201, "PENDING", "efi"]);
    await eventually("the refund", async () => {
      const { body } = await gateway.merchant.get<{ items: { status: string }[] }>(`/transactions/${id}/refunds`);
      return body.items[0]?.status === "CONFIRMED";
    });
    await eventually("the events", () => kinds().includes("refund_completed") && kinds().includes("payment_completed"));
  });

  test("a charge is cancelled: it can no longer be paid at the bank", async () => {
    const charge = await gateway.merchant.post<{ id: string }>("/pix", { amount: 7, description: "Cancelled" });
    const cancelled = await gateway.merchant.post(`/pix/${charge.body.id}/cancel`);
    assert.equal(cancelled.status, 200, cancelled.text);
    const { rows } = await db().query<{ txid: string }>(
      sql`select txid from charges where charge_id = ${charge.body.id}`,
    );
    assert.equal((await bank.psp.sandbox!.payCharge({ txid: rows[0]!.txid })).kind, "rejected");
  });

  test("a withdrawal is paid out, and what comes back of it is credited", async () => {
    await paid(80);
    const sent = await gateway.merchant.post<{ id: string }>("/withdrawals", {
      pixKey: "someone@example.com",
      pixKeyType: "email",
      holderName: "Someone",
      holderDocument: "52998224725",
      holderDocumentType: "cpf",
      netAmount: 30,
    });
    assert.equal(sent.status, 201, sent.text);
    const statusIs = (status: string) => async () =>
      (await gateway.merchant.get(`/withdrawals/${sent.body.id}`)).body.status === status;
    await eventually("the payout", statusIs("completed"));
    const { rows } = await db().query<{ psp_id: string }>(
      sql`select psp_id from withdrawals where withdrawal_id = ${sent.body.id}`,
    );
    assert.equal((await bank.psp.sandbox!.settlePayout({ id: rows[0]!.psp_id, outcome: "reverse" })).kind, "accepted");
    await eventually("the reversal", statusIs("reversed"));
    await eventually("its event", () => kinds().includes("withdrawal_reversed"));
  });

  test("a MED case blocks its payment, is disputed, and ends as the bank says", async () => {
    const { id, e2eId } = await paid(60);
    const opened = await bank.psp.sandbox!.openInfraction({ e2eId, reason: "golpe" });
    assert.equal(opened.kind, "accepted");
    type Block = { id: string; status: string; transactionId: string; amount: number };
    const blocks = async () => (await gateway.merchant.get<{ items: Block[] }>("/balance-blocks")).body.items;
    const makePollsDue = () => db().query(sql`update infraction_polls set next_at = ${new Date()}`);
    await eventually("the block", async () => {
      await makePollsDue();
      return (await blocks()).length === 1;
    });
    const [block] = await blocks();
    assert.deepEqual([block?.transactionId, block?.amount, block?.status], [id, 60, "awaiting_response"]);
    const defence = await gateway.merchant.post(`/balance-blocks/${block!.id}/defense`, { text: "Foi entregue." });
    assert.equal(defence.status, 200, defence.text);
    await eventually("the defence to be reported", async () => {
      const { rows } = await db().query<{ defence_status: string }>(sql`select defence_status from balance_blocks`);
      return rows[0]?.defence_status === "sent";
    });
    const caseId = opened.kind === "accepted" ? opened.value.id : "";
    assert.equal((await bank.psp.sandbox!.resolveInfraction({ id: caseId, outcome: "accepted" })).kind, "accepted");
    await eventually("the end", async () => {
      await makePollsDue();
      return (await blocks())[0]?.status === "approved";
    });
    await eventually("its event", () => kinds().includes("balance_block_approved"));
  });
});
