import type { Context } from "../../context.ts";
import { uuids } from "../../db/arrays.ts";
import { type Fragment, part, sql } from "../../db/sql.ts";
import { LIMITS } from "../../lib/limits.ts";
import { NOTICE, type Notice } from "./list.ts";
import { notices } from "./row.ts";
import { type Language, mailOf } from "./words.ts";

/** Loaded at its first use: only an installation with a mail server needs it. */
const library = () => import("nodemailer");

type Row = Notice & { readonly tries: number };
type Claimed = { readonly rows: readonly Row[]; readonly until: Date };
/** Its message is the server's answer, which may contain the recipient, so it is not logged. */
type Refusal = { readonly code?: string; readonly responseCode?: number };
type Deps = Pick<Context, "config" | "db" | "clock" | "log">;

/**
 * Makes the loop that sends notices by mail, one mail for everything that waits for a person. Each row is leased, sent
 * outside any transaction, and then marked: a mail is sent once, or again after a crash. People get at most
 * `LIMITS.mailsOfPerson` an hour; further notices wait for the next mail. Only a vouched address gets mail: an account's
 * owner may name any address, and must not be able to send mail to it.
 *
 * @returns a pass for one person; true when there may be more.
 */
export function createMailer(ctx: Deps): () => Promise<boolean> {
  const settings = ctx.config.mail;
  if (settings === null) return async () => false;
  const { hostname } = new URL(settings.url);
  const transport = library().then(({ createTransport }) =>
    createTransport({
      url: settings.url,
      requireTLS: !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname),
      connectionTimeout: LIMITS.mailAnswer,
      greetingTimeout: LIMITS.mailAnswer,
      socketTimeout: LIMITS.mailAnswer,
      disableFileAccess: true,
      disableUrlAccess: true,
    }),
  );
  // A failure shows at the first mail.
  transport.catch(() => undefined);

  return async () => {
    const personId = await findDue(ctx);
    if (personId === null) return false;
    const claimed = await claim(ctx, personId);
    // Empty: another process has claimed them.
    if (claimed.rows.length === 0) return true;
    const to = await recipientOf(ctx, personId);
    if (to === null) await settle(ctx, claimed, null);
    else if (await hasEnough(ctx, personId)) await postpone(ctx, claimed);
    else {
      const { host, port } = ctx.config;
      const { subject, text } = mailOf(to.language, claimed.rows, ctx.config.publicUrl ?? `http://${host}:${port}`);
      try {
        await (await transport).sendMail({ from: settings.from, to: { name: "", address: to.email }, subject, text });
        await settle(ctx, claimed, ctx.clock.date());
      } catch (error) {
        await retryOrGiveUp(ctx, claimed, error as Refusal);
      }
    }
    return true;
  };
}

/** The person whose mail has been due for the longest time. */
async function findDue({ db, clock }: Deps): Promise<string | null> {
  const { rows } = await db.query<{ personId: string }>(sql`
    select ${notices.select("", ["personId"])} from notices where mail_due_at <= ${clock.date()} order by mail_due_at limit 1`);
  return rows[0]?.personId ?? null;
}

/**
 * Leases a person's due rows: a process that does not return within the lease has crashed, and another one takes them. One
 * person at a time, so that a slow server cannot let the lease of the next mail end before it is sent.
 */
async function claim({ db, clock }: Deps, personId: string): Promise<Claimed> {
  const now = clock.now();
  const until = new Date(now + LIMITS.mailLease);
  const { rows } = await db.query<Row>(sql`
    update notices set mail_due_at = ${until}, mail_tries = mail_tries + 1
    where notice_id in (
      select notice_id from notices where person_id = ${personId} and mail_due_at <= ${new Date(now)}
      order by mail_due_at limit ${LIMITS.mailBatch} for update skip locked)
    returning ${NOTICE}, mail_tries as tries`);
  return { rows: rows.toSorted((a, b) => (a.noticeId < b.noticeId ? -1 : 1)), until };
}

/** Whether a row still belongs to this claim: another process takes it once the lease is over. */
const isOf = ({ rows, until }: Claimed): Fragment => part`
  mail_due_at = ${until} and notice_id = any(${uuids(rows.map(({ noticeId }) => noticeId))}::uuid[])`;

async function recipientOf({ db }: Deps, personId: string): Promise<{ email: string; language: Language } | null> {
  const { rows } = await db.query<{ email: string; language: Language | null }>(sql`
    select email, language from people
    where person_id = ${personId} and email is not null and vouched_at is not null and removed_at is null`);
  return rows[0] === undefined ? null : { email: rows[0].email, language: rows[0].language ?? "pt-BR" };
}

async function hasEnough({ db, clock }: Deps, personId: string): Promise<boolean> {
  const { rows } = await db.query<{ mails: number }>(sql`
    select count(distinct mailed_at)::integer as mails from notices
    where person_id = ${personId} and mailed_at > ${new Date(clock.now() - 3_600_000)}`);
  return rows[0]!.mails >= LIMITS.mailsOfPerson;
}

/** @param mailedAt null: there is nobody to send it to. */
async function settle({ db }: Deps, claimed: Claimed, mailedAt: Date | null): Promise<void> {
  await db.query(sql`update notices set mail_due_at = null, mailed_at = ${mailedAt} where ${isOf(claimed)}`);
}

async function postpone({ db, clock }: Deps, claimed: Claimed): Promise<void> {
  await db.query(sql`
    update notices set mail_due_at = ${new Date(clock.now() + LIMITS.mailPause)}, mail_tries = 0 where ${isOf(claimed)}`);
}

/** Retries later each time, and gives up after a day: the console shows it anyway. */
async function retryOrGiveUp(ctx: Deps, claimed: Claimed, { code, responseCode }: Refusal): Promise<void> {
  const now = ctx.clock.now();
  const oldest = new Date(now - LIMITS.mailGivenUp);
  const tries = Math.max(...claimed.rows.map((row) => row.tries));
  const next = new Date(now + Math.min(LIMITS.mailPause, 5_000 * 2 ** Math.min(tries, 10)));
  await ctx.db.query(sql`
    update notices set mail_due_at = case when created_at < ${oldest} then null else ${next}::timestamptz end
    where ${isOf(claimed)}`);
  const givenUp = claimed.rows.filter(({ at }) => at < oldest).length;
  ctx.log.warn({ code, responseCode, notices: claimed.rows.length, givenUp }, "a notice could not be sent by mail");
}
