/** People see, and are sent by mail, what happened to their access. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SMTPServer } from "smtp-server";
import { AUDIT_ACTIONS } from "../../src/audit-log/actions.ts";
import { sql } from "../../src/db/sql.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { createMailer } from "../../src/people/notices/mail.ts";
import { NOTICES } from "../../src/people/notices/note.ts";
import { mailOf } from "../../src/people/notices/words.ts";
import { readMail } from "../../src/settings/mail.ts";
import { newAccount } from "../contract/merchant.ts";
import { assertInvalid, assertRefused } from "../contract/refusal.ts";
import { appCode, enrol } from "../harness/authenticator.ts";
import { Browser } from "../harness/browser.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const PASSWORD = "um cavalo correto grampeia";
type Notice = { id: string; action: string; at: string; isNew: boolean; address: string | null; by: string | null };
type OfRole = Notice & { role: string | null; account: string | null };
type Mail = { readonly to: readonly string[]; readonly from: string; readonly text: string };

/** A mail's text, out of quoted-printable. */
const plainOf = (text: string): string => {
  const bytes = text
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
};

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.stop());

let n = 0;
const tokenOf = (link: string) => link.split("#link=")[1]!;
const invited = async (email: string, role: string, more: object = {}) => {
  const made = await gateway.operator.post<{ link: string }>("/people", { email, role, ...more });
  return new Browser(gateway).use(tokenOf(made.body.link));
};
const noticesOf = async (browser: Browser) =>
  (await browser.send<{ since: string; items: Notice[] }>("GET", "/console/api/me/notices")).body;
const actionsOf = async (browser: Browser) => (await noticesOf(browser)).items.map(({ action }) => action);
const signIn = (email: string, password: string, more: object = {}) =>
  new Browser(gateway).send("POST", "/console/api/session/password", { email, password, ...more });

describe("a person", () => {
  test("is notified of every action of the audit log that is about a person's access", () => {
    const ofPeople = AUDIT_ACTIONS.filter((action) => action.startsWith("person."));
    assert.deepEqual(Object.keys(NOTICES).sort(), [...ofPeople].sort());
    const quiet = Object.entries(NOTICES).filter(([, isNoticed]) => !isNoticed);
    assert.deepEqual(
      quiet.map(([action]) => action),
      ["person.erase", "person.export", "person.rename"],
    );
  });

  test("sees sign-ins, failed second factors, and what they sign in by, until they say that they have seen it", async () => {
    const email = `ana-${++n}@example.com`;
    const ana = await invited(email, "admin");
    const { secret } = await enrol(ana, PASSWORD);
    assert.equal((await signIn(email, PASSWORD, { code: "000000" })).status, 401);
    const stranger = await signIn(email, PASSWORD, { code: appCode(secret, 1) });
    assert.equal(stranger.status, 200, stranger.text);
    const { items } = await noticesOf(ana);
    assert.deepEqual(
      items.map(({ action, isNew }) => [action, isNew]),
      [
        ["person.sign-in", true],
        ["person.second-factor-failed", true],
        ["person.authenticator", true],
        ["person.password", true],
        // Her own.
        ["person.sign-in", false],
      ],
    );
    assert.deepEqual([items[0]!.by, items[0]!.address], ["password", "127.0.0.1"]);
    const seen = (until: string) => ana.send("POST", "/console/api/me/notices/seen", { until });
    assertInvalid(await seen(new Date(Date.now() + 60_000).toISOString()), ["until"]);
    assert.equal((await seen(items[0]!.at)).status, 204);
    assert.ok((await noticesOf(ana)).items.every(({ isNew }) => !isNew));
    const ended = await ana.send<{ ended: number }>("DELETE", "/console/api/sessions");
    assert.equal(ended.body.ended, 1);
    assert.deepEqual(
      (await noticesOf(ana)).items.slice(0, 2).map(({ action, isNew }) => [action, isNew]),
      [
        ["person.session-ended", true],
        ["person.sign-in", false],
      ],
    );
  });

  test("sees links made, used and withdrawn, and roles", async () => {
    const bia = await invited(`bia-${++n}@example.com`, "admin");
    const email = `lia-${n}@example.com`;
    const make = async (role: string) => {
      const made = await bia.send<{ link: string }>("POST", "/console/api/people", { email, role });
      assert.equal(made.status, 201, made.text);
      return tokenOf(made.body.link);
    };
    await make("support");
    const { items } = (
      await bia.send<{ items: { invitationId: string; email: string }[] }>("GET", "/console/api/invitations")
    ).body;
    const { invitationId } = items.find((one) => one.email === email)!;
    assert.equal((await bia.send("DELETE", `/console/api/invitations/${invitationId}`)).status, 204);
    const lia = await new Browser(gateway).use(await make("support"));
    const before = ["person.join", "person.invite", "person.uninvite", "person.invite", "person.sign-in"];
    assert.deepEqual(await actionsOf(bia), before);
    const { id } = (await lia.send<{ person: { id: string } }>("GET", "/console/api/session")).body.person;
    assert.equal((await bia.send("PATCH", `/console/api/people/${id}`, { role: "finance" })).status, 200);
    const recovery = async () => {
      const made = await gateway.operator.post<{ link: string }>("/people/recovery", { email });
      return tokenOf(made.body.link);
    };
    await recovery();
    const links = (await bia.send<{ items: { linkId: string; email: string }[] }>("GET", "/console/api/recovery-links"))
      .body;
    const { linkId } = links.items.find((one) => one.email === email)!;
    assert.equal((await bia.send("DELETE", `/console/api/recovery-links/${linkId}`)).status, 204);
    const again = await new Browser(gateway).use(await recovery());
    assert.deepEqual(await actionsOf(again), [
      "person.sign-in",
      "person.reset",
      "person.recover",
      "person.unrecover",
      "person.recover",
      "person.role",
      "person.sign-in",
    ]);
    assert.deepEqual(await actionsOf(bia), before, "somebody else's notices are not theirs");
  });

  test("sees of which account a role is, and that another one is of the installation", async () => {
    const owner = await invited(`mia-${++n}@example.com`, "owner", { accountId: await newAccount(gateway) });
    type Account = { accountId: string; name: string };
    const session = await owner.send<{ accounts: [Account] }>("GET", "/console/api/session");
    const [{ accountId, name }] = session.body.accounts;
    const admin = await invited(`rui-${n}@example.com`, "admin");
    const email = `gal-${n}@example.com`;
    const made = [
      await owner.send("POST", `/console/api/accounts/${accountId}/people`, { email, role: "viewer" }),
      await admin.send("POST", "/console/api/people", { email, role: "support" }),
    ];
    assert.deepEqual(
      made.map(({ status }) => status),
      [201, 201],
    );
    const newestOf = async (browser: Browser) => {
      const [{ action, role, account }] = (await noticesOf(browser)).items as [OfRole];
      return [action, role, account];
    };
    assert.deepEqual(await newestOf(owner), ["person.invite", "viewer", name]);
    assert.deepEqual(await newestOf(admin), ["person.invite", "support", null]);
  });

  test("sees them though whoever has a session of theirs renames passkeys, and says to have seen them", async () => {
    const dora = await invited(`dora-${++n}@example.com`, "support");
    assert.equal((await dora.send("POST", "/console/api/me/password", { password: PASSWORD })).status, 204);
    const { id } = (await dora.send<{ person: { id: string } }>("GET", "/console/api/session")).body.person;
    await gateway.owner.query(sql`
      insert into notices (notice_id, person_id, action, details, created_at)
      select uuidv7(), ${id}, 'person.passkey-renamed', '{}', now() from generate_series(1, 200)`);
    const { items } = await noticesOf(dora);
    assert.ok(["person.password", "person.sign-in"].every((action) => items.some((one) => one.action === action)));
    assert.equal(items[0]!.action, "person.passkey-renamed");
    const at = (action: string) => items.find((one) => one.action === action)!.at;
    const seen = (until: string) => dora.send("POST", "/console/api/me/notices/seen", { until });
    const isNew = async () => (await noticesOf(dora)).items.find(({ action }) => action === "person.password")!.isNew;
    await gateway.owner.query(sql`update sessions set fresh_until = null where person_id = ${id}`);
    assertRefused(await seen(at("person.password")), 403, "FRESH_SIGN_IN_REQUIRED");
    assert.equal(await isNew(), true);
    // What was there before the session is seen as ever.
    const earlier = new Date(Date.parse(at("person.sign-in")) - 5_000);
    assert.equal((await seen(earlier.toISOString())).status, 204);
    assert.equal(await isNew(), true);
    assertInvalid(await seen("2016-12-31T23:59:60Z"), ["until"]);
  });

  test("reads them by an index, however many there are", async () => {
    const caio = await invited(`caio-${++n}@example.com`, "support");
    const { id } = (await caio.send<{ person: { id: string } }>("GET", "/console/api/session")).body.person;
    await gateway.owner.query(sql`
      insert into notices (notice_id, person_id, action, details, created_at)
      select gen_random_uuid(), case when i % 10 = 0 then ${id}::uuid else gen_random_uuid() end, 'person.sign-out', '{}', now()
      from generate_series(1, 20000) i`);
    await gateway.owner.query(sql`analyze notices`);
    const { rows } = await gateway.owner.query<{ "QUERY PLAN": string }>(sql`
      explain select notice_id from notices where person_id = ${id} order by notice_id desc limit 100`);
    assert.match(rows.map((row) => row["QUERY PLAN"]).join("\n"), /Index.*notices_person_idx/);
    assert.equal((await noticesOf(caio)).items.length, 100);
    await gateway.owner.query(sql`delete from notices where person_id = ${id}`);
  });
});

describe("with a mail server", () => {
  const mails: Mail[] = [];
  let isDown = false;
  /** What goes on while the server has a mail, and its answer. */
  let isSlow: ((address: string) => Promise<Error | null>) | null = null;
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    authOptional: true,
    onAuth: (auth, _session, done) => {
      if (auth.username === "pixgate" && auth.password === "geheim") done(null, { user: "pixgate" });
      else done(new Error("no"));
    },
    allowInsecureAuth: true,
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        if (isSlow !== null) return void isSlow(session.envelope.rcptTo[0]!.address).then(done);
        if (isDown) return done(Object.assign(new Error("try later"), { responseCode: 451 }));
        const unknown = session.envelope.rcptTo.find(({ address }) => address.startsWith("nobody"))?.address;
        if (unknown) return done(Object.assign(new Error(`5.1.1 <${unknown}> User unknown`), { responseCode: 550 }));
        const { mailFrom, rcptTo } = session.envelope;
        const text = Buffer.concat(chunks).toString();
        mails.push({
          to: rcptTo.map(({ address }) => address),
          from: mailFrom === false ? "" : mailFrom.address,
          text,
        });
        done();
      });
    },
  });
  let url: string;
  before(async () => {
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    url = `smtp://pixgate:geheim@127.0.0.1:${(server.server.address() as { port: number }).port}`;
  });
  after(() => new Promise<void>((resolve) => void server.close(() => resolve())));

  const mailer = (more: { now?: number } = {}) => {
    const { ctx } = gateway.running;
    const at = () => ctx.clock.now() + (more.now ?? 0);
    const clock = { ...ctx.clock, now: at, date: () => new Date(at()) };
    const warned: unknown[] = [];
    const log = { ...ctx.log, warn: (...args: unknown[]) => void warned.push(args) } as typeof ctx.log;
    const config = {
      ...ctx.config,
      mail: readMail({ PIXGATE_SMTP_URL: url, PIXGATE_MAIL_FROM: "Pixgate <pix@loja.example>" }),
    };
    const once = createMailer({ db: ctx.db, config, clock, log });
    const run = async () => {
      while (await once());
    };
    return { warned, run };
  };
  const to = (email: string) => mails.filter((mail) => mail.to.includes(email));
  const settle = () => gateway.owner.query(sql`update notices set mail_due_at = null`);

  test("sends one mail for all that waits, after the commit, with no secret in it", async () => {
    await settle();
    const email = `davi-${++n}@example.com`;
    const davi = await invited(email, "admin");
    await enrol(davi, PASSWORD);
    assert.deepEqual(to(email), [], "no call sends mail");
    const { run } = mailer();
    await run();
    await run();
    assert.equal(to(email).length, 1);
    const [{ from, text }] = to(email) as [Mail];
    assert.equal(from, "pix@loja.example");
    const plain = plainOf(text);
    for (const part of ["entrada, por um link, de 127.0.0.1", "senha escolhida", "aplicativo autenticador ligado"]) {
      assert.ok(plain.includes(part), plain);
    }
    assert.ok(!/link=|geheim|cavalo|node/.test(text), text);
    assert.equal((await signIn(email, PASSWORD, { code: "000000" })).status, 401);
    await run();
    assert.equal(to(email).length, 2);
  });

  test("sends none to an address that only an owner has named", async () => {
    await settle();
    const owner = await invited(`owner-${++n}@example.com`, "owner", { accountId: await newAccount(gateway) });
    const { accounts } = (await owner.send<{ accounts: { accountId: string }[] }>("GET", "/console/api/session")).body;
    const email = `victim-${n}@example.com`;
    const made = await owner.send<{ link: string }>("POST", `/console/api/accounts/${accounts[0]!.accountId}/people`, {
      ...{ email, role: "viewer" },
    });
    await new Browser(gateway).use(tokenOf(made.body.link));
    await mailer().run();
    assert.deepEqual(to(email), []);
    const { rows } = await gateway.owner.query(sql`select from notices where mail_due_at is not null`);
    assert.equal(rows.length, 0, "nothing waits");
  });

  test("tries again where the server refuses, and gives up after a day, with a line in the log", async () => {
    await settle();
    const email = `eva-${++n}@example.com`;
    await invited(email, "support");
    isDown = true;
    const first = mailer();
    await first.run();
    assert.equal(first.warned.length, 1);
    assert.ok(!JSON.stringify(first.warned).includes("geheim"));
    isDown = false;
    await first.run();
    assert.equal(to(email).length, 0, "not at once");
    await mailer({ now: 60_000 }).run();
    assert.equal(to(email).length, 1);
    isDown = true;
    await signIn(email, PASSWORD);
    await invited(`fabi-${n}@example.com`, "support");
    await mailer({ now: 25 * 3_600_000 }).run();
    isDown = false;
    const { rows } = await gateway.owner.query(sql`select from notices where mail_due_at is not null`);
    assert.equal(rows.length, 0);
  });

  test("logs why the server refuses without the address that its answer names", async () => {
    await settle();
    await invited(`nobody-${++n}@loja.example`, "support");
    const { run, warned } = mailer();
    await run();
    assert.equal(warned.length, 1);
    const [says] = warned[0] as [object];
    assert.deepEqual(says, { code: "EMESSAGE", responseCode: 550, notices: 1, givenUp: 0 });
    await settle();
  });

  test("sends a mail once where another process sends what a slow server has kept this one from", async () => {
    await settle();
    const [slow, next] = [`slow-${++n}@example.com`, `next-${n}@example.com`];
    for (const email of [slow, next]) await invited(email, "support");
    isSlow = async (address) => {
      assert.equal(address, slow);
      isSlow = null;
      await mailer({ now: LIMITS.mailLease + 1_000 }).run();
      return Object.assign(new Error("too late"), { responseCode: 451 });
    };
    await mailer().run();
    assert.deepEqual([to(slow).length, to(next).length], [1, 1]);
    const { rows } = await gateway.owner.query(sql`select from notices where mail_due_at is not null`);
    assert.equal(rows.length, 0, "what another process has sent is not tried again");
  });

  test("sends at most twenty an hour to a person; what comes beyond waits for the next", async () => {
    await settle();
    const email = `gil-${++n}@example.com`;
    const gil = await invited(email, "support");
    for (let i = 0; i < 25; i += 1) {
      await gil.send("POST", "/console/api/me/password", { password: `${PASSWORD} ${i}` });
      await mailer().run();
    }
    assert.equal(to(email).length, 20);
    await mailer({ now: 3_700_000 }).run();
    assert.equal(to(email).length, 21);
    assert.equal(plainOf(to(email)[20]!.text).match(/senha escolhida/g)!.length, 5);
  });
});

describe("the settings of mail", () => {
  test("are set together, name a server and one address, and are never quoted", () => {
    const [PIXGATE_SMTP_URL, PIXGATE_MAIL_FROM] = ["smtps://u:geheim@mail.example", "pix@loja.example"];
    assert.equal(readMail({}), null);
    assert.deepEqual(readMail({ PIXGATE_SMTP_URL, PIXGATE_MAIL_FROM }), {
      url: PIXGATE_SMTP_URL,
      from: PIXGATE_MAIL_FROM,
    });
    const wrongs = [
      { PIXGATE_SMTP_URL },
      { PIXGATE_MAIL_FROM },
      { PIXGATE_SMTP_URL: "https://u:geheim@mail.example", PIXGATE_MAIL_FROM },
      { PIXGATE_SMTP_URL, PIXGATE_MAIL_FROM: "a@b.example, c@d.example" },
      { PIXGATE_SMTP_URL, PIXGATE_MAIL_FROM: "a@b.example\r\nBcc: c@d.example" },
      { PIXGATE_SMTP_URL, PIXGATE_MAIL_FROM, PIXGATE_SMTP_URL_FILE: "/nowhere" },
      { PIXGATE_MAIL_FROM, PIXGATE_SMTP_URL_FILE: "/nowhere" },
    ];
    for (const wrong of wrongs) {
      assert.throws(
        () => readMail(wrong),
        (error: Error) => /PIXGATE_/.test(error.message) && !/geheim/.test(error.message),
      );
    }
  });

  test("leave each language its words", () => {
    const notice = {
      action: "person.sign-in",
      details: { by: "password", address: "203.0.113.7" },
      at: new Date(0),
    } as const;
    assert.match(mailOf("en", [notice], "https://pix.example").text, /sign-in, with a password, from 203\.0\.113\.7/);
    assert.match(mailOf("pt-BR", [notice], "https://pix.example").text, /entrada, com senha, de 203\.0\.113\.7/);
  });
});
