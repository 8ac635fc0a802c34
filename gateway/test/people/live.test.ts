/** Streams of changes for pages: what they report, to whom, and what ends them. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { closeDue } from "../../src/close/close.ts";
import { clockAhead } from "../../src/context.ts";
import { sql } from "../../src/db/sql.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { readInstallation } from "../../src/live/changes.ts";
import { newAccount } from "../contract/merchant.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

let gateway: TestGateway;
let owner: Browser;
let stream = "";

type Reported = { readonly id: string; readonly event: string; readonly data: { readonly eventId?: string } };
type Stream = {
  readonly status: number;
  readonly events: Reported[];
  readonly text: () => string;
  ended: boolean;
  close(): void;
};

/** Opens a stream as a page does. */
async function listen(browser: Browser, path: string, lastId?: string): Promise<Stream> {
  const controller = new AbortController();
  const response = await fetch(browser.origin + path, {
    headers: { cookie: `pixgate_session=${browser.cookie}`, ...(lastId !== undefined && { "last-event-id": lastId }) },
    signal: controller.signal,
  });
  let text = "";
  const opened: Stream = {
    status: response.status,
    events: [],
    text: () => text,
    ended: false,
    close: () => controller.abort(),
  };
  void (async () => {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body!) {
        text += decoder.decode(chunk as Uint8Array, { stream: true });
        opened.events.splice(
          0,
          opened.events.length,
          ...[...text.matchAll(/id: (.+)\nevent: (.+)\ndata: (.+)\n\n/g)].map(([, id, event, data]) => ({
            id: id!,
            event: event!,
            data: JSON.parse(data!) as Reported["data"],
          })),
        );
      }
    } catch {
      // Closed by the test.
    }
    opened.ended = true;
  })();
  return opened;
}
const account = () => ({ headers: { "x-pixgate-account": gateway.sandbox.accountId } });
/** A charge that was paid. @returns its id, which is the event's. */
async function paid(): Promise<string> {
  const made = await owner.send<{ id: string }>("POST", "/v2/pix", { amount: 5, description: "Coffee" }, account());
  assert.equal((await owner.send("POST", `/v2/sandbox/pix/${made.body.id}/pay`, {}, account())).status, 200);
  return made.body.id;
}
const payments = ({ events }: Stream): string[] =>
  events.flatMap(({ event, data }) => (event === "payment_completed" ? [String(data.eventId)] : []));
/** Somebody with a role in an account. */
async function invited(accountId: string, email: string): Promise<Browser> {
  const path = `/console/api/accounts/${accountId}/people`;
  const { body } = await owner.send<{ link: string }>("POST", path, { email, role: "viewer" });
  return new Browser(gateway).use(body.link.split("#link=")[1]!);
}

before(async () => {
  gateway = await startGateway();
  owner = await new Browser(gateway).use(firstLink(gateway));
  stream = `/v2/events/stream?account=${gateway.sandbox.accountId}`;
});
after(() => gateway.stop());

describe("a wallet's stream", () => {
  test("reports each event once, to every page, with its kind and nothing of the payer", async () => {
    const [first, second] = [await listen(owner, stream), await listen(owner, stream)];
    assert.deepEqual([first.status, second.status], [200, 200]);
    const ids = [await paid(), await paid()];
    for (const one of [first, second]) {
      await eventually("both payments", () => payments(one).length === 2);
      assert.ok(ids.every((id) => payments(one).some((eventId) => eventId.includes(id))));
      for (const { data } of one.events) assert.deepEqual(Object.keys(data).sort(), ["at", "eventId", "kind"]);
    }
    first.close();
    second.close();
  });

  test("goes on behind the last event that the page saw", async () => {
    const before = await listen(owner, stream);
    await paid();
    await eventually("the payment", () => payments(before).length > 0);
    before.close();
    const lastId = before.events.at(-1)!.id;
    const id = await paid();
    const again = await listen(owner, stream, lastId);
    await eventually("what was missed", () => payments(again).some((eventId) => eventId.includes(id)));
    assert.ok(!payments(again).includes(payments(before).at(-1)!), "the last one does not come again");
    again.close();
  });

  test("begins with what came since the page read its session: a payment, and a charge that has no event", async () => {
    const { body } = await owner.send<{ at: string }>("GET", "/console/api/session");
    const id = await paid();
    const made = await owner.send("POST", "/v2/pix", { amount: 5, description: "Tea" }, account());
    assert.equal(made.status, 201, made.text);
    const opened = await listen(owner, `${stream}&since=${body.at}`);
    await eventually("the payment", () => payments(opened).some((eventId) => eventId.includes(id)));
    await eventually("the charge", () => opened.text().includes("event: charges\n"));
    opened.close();
    assert.equal((await listen(owner, `${stream}&since=yesterday`)).status, 400);
  });

  test("goes on from now for a page that was away for too long, or has missed too much, which reads its screens anew", async () => {
    const accountId = gateway.sandbox.accountId;
    const happened = (count: number, name: string) =>
      gateway.owner.query(sql`
        insert into events (account_id, event_id, wallet_id, kind, body, created_at)
        select ${accountId}, ${name} || n, ${accountId}, 'payment_completed', '{}', ${new Date()}::timestamptz + n * interval '1 microsecond'
        from generate_series(1, ${count}::int) n`);
    const lastId = `${Date.now()}.none`;
    await happened(150, "few-");
    const few = await listen(owner, stream, lastId);
    await eventually("each of them", () => payments(few).filter((id) => id.startsWith("few-")).length === 150);
    few.close();
    // 64 KiB were cut: the page came back with the same id, and was cut again, for ever.
    await happened(600, "many-");
    for (const from of [lastId, "1.x", `${Date.now() - LIMITS.streamMissed - 60_000}.x`]) {
      const resumed = await listen(owner, stream, from);
      await eventually("its reload", () => resumed.events.length > 0);
      const { event, id } = resumed.events[0]!;
      assert.equal(event, "reload");
      assert.ok(Number(id.split(".")[0]) > Date.now() - 60_000, id);
      const payment = await paid();
      await eventually("what comes next", () => payments(resumed).some((eventId) => eventId.includes(payment)));
      assert.equal(resumed.ended, false);
      resumed.close();
    }
  });

  test("says that a charge was made, without a word of it, to the pages of its wallet, and makes no event of it", async () => {
    const counted = async () => (await gateway.owner.query(sql`select from events`)).rows.length;
    const viewer = await invited(await newAccount(gateway), "gal@example.com");
    const { body } = await viewer.send<{ accounts: { accountId: string }[] }>("GET", "/console/api/session");
    const theirs = await listen(viewer, `/v2/events/stream?account=${body.accounts[0]!.accountId}`);
    const ours = await listen(owner, stream);
    const before = await counted();
    const made = await owner.send<{ id: string }>("POST", "/v2/pix", { amount: 7, description: "Tea" }, account());
    assert.equal(made.status, 201, made.text);
    const said = "event: charges\ndata: {}\n\n";
    await eventually("the charge", () => ours.text().includes(said));
    assert.equal(await counted(), before);
    assert.ok(!ours.text().includes(made.body.id));
    // Whatever their reader says of ours, it has said by the time that it says theirs.
    const own = { headers: { "x-pixgate-account": body.accounts[0]!.accountId } };
    assert.equal((await owner.send("POST", "/v2/pix", { amount: 7, description: "Tea" }, own)).status, 403);
    assert.deepEqual([theirs.status, theirs.text().includes("charges"), theirs.events], [200, false, []]);
    for (const one of [theirs, ours]) one.close();
  });

  test("says that money moved by what has no event, a withdrawal or refund that was only made and a transfer, to the pages of both wallets alone", async () => {
    for (const reference of ["loja", "feira"]) {
      assert.equal((await owner.send("POST", "/v2/sub-accounts", { reference }, account())).status, 201);
    }
    await paid();
    // All that these wallets have moved until now lies before their streams: each word of money is of one act below.
    const inShop = { headers: { ...account().headers, "x-sub-account": "loja" } };
    const charge = await owner.send<{ id: string }>("POST", "/v2/pix", { amount: 50, description: "Tea" }, inShop);
    const pay = await owner.send("POST", `/v2/sandbox/pix/${charge.body.id}/pay`, {}, inShop);
    assert.equal(pay.status, 200, pay.text);
    const streamOf = (reference: string) => listen(owner, `${stream}&subAccount=${reference}`);
    const [shop, fair] = [await streamOf("loja"), await streamOf("feira")];
    const said = (one: Stream) => one.text().split("event: money\ndata: {}\n\n").length - 1;
    assert.deepEqual([shop.status, said(shop)], [200, 0]);
    const { rows: before } = await gateway.owner.query(sql`select from events`);
    const holder = { holderName: "Rosana Figueiredo", holderDocument: "12345678909", holderDocumentType: "cpf" };
    for (const [path, body, of] of [
      ["/v2/withdrawals", { amount: 5, pixKey: "manual@pixgate.test", pixKeyType: "email", ...holder }, inShop],
      [`/v2/transactions/${charge.body.id}/refund`, { amount: 1, reason: "manual" }, inShop],
      ["/v2/transfers", { subAccount: "loja", amount: 1 }, account()],
    ] as const) {
      const known = said(shop);
      const answer = await owner.send("POST", path, body, of);
      assert.ok(answer.status < 300, answer.text);
      await eventually(path, () => said(shop) > known);
    }
    assert.equal((await gateway.owner.query(sql`select from events`)).rows.length, before.length);
    assert.equal(said(fair), 0);
    for (const one of [shop, fair]) one.close();
  });

  test("tells a page that has read its session before a movement without an event of it when its stream opens", async () => {
    const made = await owner.send("POST", "/v2/sub-accounts", { reference: "bazar" }, account());
    assert.equal(made.status, 201, made.text);
    await paid();
    const { body } = await owner.send<{ at: string }>("GET", "/console/api/session");
    const moved = await owner.send("POST", "/v2/transfers", { subAccount: "bazar", amount: 1 }, account());
    assert.ok(moved.status < 300, moved.text);
    // No other stream watches this wallet, and its money moves once: nothing else could report it.
    const from = (at: string) => listen(owner, `${stream}&subAccount=bazar&since=${at}`);
    const [late, later] = [await from(body.at), await from(new Date(Date.parse(body.at) + 60_000).toISOString())];
    const isTold = (one: Stream) => one.text().includes("event: money\n");
    await eventually("what came before the stream", () => isTold(late));
    assert.equal(isTold(later), false);
    for (const one of [late, later]) one.close();
  });

  test("is of one's own accounts, and of a session alone", async () => {
    const other = await newAccount(gateway);
    const viewer = await invited(other, "vera@example.com");
    assert.equal((await listen(viewer, stream)).status, 403);
    const theirs = await listen(viewer, `/v2/events/stream?account=${other}`);
    assert.equal(theirs.status, 200);
    const ours = await listen(owner, stream);
    await paid();
    await eventually("our payment", () => payments(ours).length > 0);
    assert.deepEqual(theirs.events, []);
    assert.equal((await listen(viewer, "/operator/v1/stream")).status, 403);
    const stranger = new Browser(gateway);
    for (const path of [stream, "/operator/v1/stream"]) assert.equal((await listen(stranger, path)).status, 401);
    const byToken = await fetch(`${gateway.running.url}${stream}`, {
      headers: { authorization: `Bearer ${gateway.merchant.token}` },
    });
    assert.equal(byToken.status, 401);
    for (const one of [theirs, ours]) one.close();
  });

  test("ends when its session does", async () => {
    const viewer = await invited(gateway.sandbox.accountId, "ivo@example.com");
    const open = await listen(viewer, stream);
    assert.equal(open.status, 200);
    assert.equal((await viewer.send("DELETE", "/console/api/session")).status, 204);
    await eventually("the end", () => open.ended);
  });

  test("ends when its person's role in the account does, and with another role goes on from a new sign-in alone", async () => {
    const other = await newAccount(gateway);
    const people = (accountId: string) => `/console/api/accounts/${accountId}/people`;
    const removed = await invited(other, "rita@example.com");
    const { body } = await removed.send<{ person: { id: string } }>("GET", "/console/api/session");
    const open = await listen(removed, `/v2/events/stream?account=${other}`);
    assert.equal(open.status, 200);
    assert.equal((await owner.send("DELETE", `${people(other)}/${body.person.id}`)).status, 200);
    await eventually("the end", () => open.ended);
    assert.equal((await listen(removed, `/v2/events/stream?account=${other}`)).status, 401);
    // A role that ends while the session goes on, as in a database restored or mended by hand.
    const kept = await invited(other, "sara@example.com");
    const sara = (await kept.send<{ person: { id: string } }>("GET", "/console/api/session")).body.person.id;
    const theirs = await listen(kept, `/v2/events/stream?account=${other}`);
    await gateway.owner.query(sql`
      update memberships set removed_at = created_at where person_id = ${sara} and of_account = ${other}`);
    await eventually("the end of the second", () => theirs.ended);
    assert.equal((await kept.send("GET", "/console/api/session")).status, 200);
    assert.equal((await listen(kept, `/v2/events/stream?account=${other}`)).status, 403);
  });

  test("ends when its person may see the account by a role in the installation no more", async () => {
    const made = await owner.send<{ link: string }>("POST", "/console/api/people", {
      ...{ email: "tais@example.com", role: "finance" },
    });
    const visitor = await new Browser(gateway).use(made.body.link.split("#link=")[1]!);
    const { body } = await visitor.send<{ person: { id: string } }>("GET", "/console/api/session");
    const [seen, operators] = [await listen(visitor, stream), await listen(visitor, "/operator/v1/stream")];
    assert.deepEqual([seen.status, operators.status], [200, 200]);
    await gateway.owner.query(sql`update people set installation_role = 'support' where person_id = ${body.person.id}`);
    await eventually("the end of the account's", () => seen.ended);
    assert.equal(operators.ended, false, "support still sees that something changed");
    await gateway.owner.query(sql`update people set installation_role = null where person_id = ${body.person.id}`);
    await eventually("the end of the operators'", () => operators.ended);
  });

  test("is open a limited number of times for a person, and takes no slot of the waiting calls", async () => {
    const viewer = await invited(gateway.sandbox.accountId, "eva@example.com");
    const waiting = gateway.running.ctx.admission.waiting();
    const open: Stream[] = [];
    for (let i = 0; i < LIMITS.streamsOfPerson; i += 1) open.push(await listen(viewer, stream));
    assert.ok(open.every(({ status }) => status === 200));
    assert.equal(gateway.running.ctx.admission.waiting(), waiting);
    assert.equal((await listen(viewer, stream)).status, 429);
    assert.equal((await listen(owner, stream)).status, 200, "another person is not affected");
    for (const one of open) one.close();
    await eventually("another one", async () => {
      const again = await listen(viewer, stream);
      again.close();
      return again.status === 200;
    });
  });
});

describe("the installation's stream", () => {
  test("reports that something changed for operators, and what changed meanwhile", async () => {
    const open = await listen(owner, "/operator/v1/stream");
    assert.equal(open.status, 200);
    await eventually("its beginning", () => open.events.length > 0);
    const brake = (paused: boolean) =>
      gateway.operator.send("PUT", "/brakes", JSON.stringify({ scope: "all", paused, reason: "a doubt" }));
    assert.equal((await brake(true)).status, 200);
    // What earlier tests have changed may be reported before it.
    const present = await readInstallation(gateway.running.ctx.db);
    await eventually("the brake", () => open.events.at(-1)!.event === "message" && open.events.at(-1)!.id === present);
    open.close();
    const lastId = open.events.at(-1)!.id;
    const { rows } = await gateway.owner.query(sql`select from brakes where lifted_at is null`);
    assert.equal(rows.length, 1);
    assert.equal((await brake(false)).status, 200);
    const again = await listen(owner, "/operator/v1/stream", lastId);
    await eventually("that it was lifted", () => again.events[0]?.event === "message");
    again.close();
  });

  test("begins with whether something changed since the page read its session", async () => {
    type Session = { installationState: string | null };
    const state = async (browser: Browser) =>
      (await browser.send<Session>("GET", "/console/api/session")).body.installationState;
    const read = (await state(owner))!;
    assert.equal(read, await readInstallation(gateway.running.ctx.db));
    const open = async (seen: string, lastId?: string) => {
      const opened = await listen(owner, `/operator/v1/stream?${new URLSearchParams({ seen })}`, lastId);
      const first = await eventually("its first event", () => opened.events[0]);
      opened.close();
      return first;
    };
    assert.deepEqual(await open(read), { id: read, event: "begin", data: {} });
    const brake = (paused: boolean) =>
      gateway.operator.send("PUT", "/brakes", JSON.stringify({ scope: "all", paused, reason: "a doubt" }));
    assert.equal((await brake(true)).status, 200);
    const { id, event } = await open(read);
    assert.deepEqual([id, event], [await state(owner), "message"]);
    assert.equal((await open(read, id)).event, "begin", "the browser's own mark of a lost stream is newer");
    assert.equal((await brake(false)).status, 200);
    const viewer = await invited(await newAccount(gateway), "nina@example.com");
    assert.equal(await state(viewer), null, "nobody without a role in the installation learns of it");
  });

  test("reports that a day was closed", async () => {
    const { ctx } = gateway.running;
    const { rows } = await gateway.owner.query<{ id: string }>(sql`
      select account_id as id from accounts where is_house`);
    const before = await readInstallation(ctx.db);
    const open = await listen(owner, "/operator/v1/stream", before);
    assert.equal(await closeDue({ ...ctx, clock: clockAhead(36 * 3_600_000) }, rows[0]!.id), true);
    const present = await readInstallation(ctx.db);
    assert.notEqual(present, before);
    await eventually("the close", () => open.events.at(-1)?.event === "message" && open.events.at(-1)!.id === present);
    open.close();
  });
});
