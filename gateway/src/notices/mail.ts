import type { Context } from "../context.ts";
import { uuids } from "../db/arrays.ts";
import { sql } from "../db/sql.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Notice } from "./list.ts";
import { type Language, mailOf } from "./words.ts";

/** Loaded at its first use: only an installation with a mail server needs it. */
const library = () => import("nodemailer");

type Row = Notice & { readonly personId: string; readonly tries: number };
type Deps = Pick<Context, "config" | "db" | "clock" | "log">;

/**
 * Makes the loop that sends notices by mail, one mail for all that waits for a person. Each row is leased, sent outside any
 * transaction, and then marked: a mail goes out once, or again after a crash. People get at most `LIMITS.mailsOfPerson` an hour; what
 * comes beyond that waits and is in the next one. Only an address that somebody vouches for gets mail: an account's owner may name
 * any address, and nobody sends mail by doing so.
 *
 * @returns does a batch; true when there may be more.
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
    const due = await claim(ctx);
    const people = Map.groupBy(due, ({ personId }) => personId);
    for (const [personId, rows] of people) {
      const to = await recipientOf(ctx, personId);
      const ids = rows.map(({ noticeId }) => noticeId);
      if (to === null) await settle(ctx, ids, null);
      else if (await hasEnough(ctx, personId)) await postpone(ctx, ids);
      else {
        const { host, port } = ctx.config;
        const { subject, text } = mailOf(to.language, rows, ctx.config.publicUrl ?? `http://${host}:${port}`);
        try {
          await (await transport).sendMail({ from: settings.from, to: { name: "", address: to.email }, subject, text });
          await settle(ctx, ids, ctx.clock.date());
        } catch (error) {
          await failed(ctx, rows, error as Error & { code?: string });
        }
      }
    }
    return due.length === LIMITS.mailBatch;
  };
}

/** Leases rows that are due: who does not come back within the lease has crashed, and another process takes them. */
async function claim({ db, clock }: Deps): Promise<Row[]> {
  const now = clock.now();
  const { rows } = await db.query<Row>(sql`
    update notices n set mail_due_at = ${new Date(now + LIMITS.mailLease)}, mail_tries = mail_tries + 1
    where n.notice_id in (
      select notice_id from notices where mail_due_at <= ${new Date(now)}
      order by mail_due_at limit ${LIMITS.mailBatch} for update skip locked)
    returning n.notice_id as "noticeId", n.person_id as "personId", n.action, n.details, n.created_at as at,
      n.mail_tries as tries`);
  return rows.toSorted((a, b) => (a.noticeId < b.noticeId ? -1 : 1));
}

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
async function settle({ db }: Deps, ids: readonly string[], mailedAt: Date | null): Promise<void> {
  await db.query(sql`
    update notices set mail_due_at = null, mailed_at = ${mailedAt} where notice_id = any(${uuids(ids)}::uuid[])`);
}

async function postpone({ db, clock }: Deps, ids: readonly string[]): Promise<void> {
  await db.query(sql`
    update notices set mail_due_at = ${new Date(clock.now() + LIMITS.mailPause)}, mail_tries = 0
    where notice_id = any(${uuids(ids)}::uuid[])`);
}

/** Tries again later each time, and gives up after a day: by then the console has shown it, or will. */
async function failed(ctx: Deps, rows: readonly Row[], { code, message }: Error & { code?: string }): Promise<void> {
  const now = ctx.clock.now();
  const old = rows.filter(({ at }) => at.getTime() < now - LIMITS.mailGivenUp);
  const ids = (of: readonly Row[]) => uuids(of.map(({ noticeId }) => noticeId));
  const tries = Math.max(...rows.map((row) => row.tries));
  const next = new Date(now + Math.min(LIMITS.mailPause, 5_000 * 2 ** Math.min(tries, 10)));
  await ctx.db.query(sql`
    update notices set mail_due_at = ${next} where notice_id = any(${ids(rows)}::uuid[])`);
  await ctx.db.query(sql`
    update notices set mail_due_at = null where notice_id = any(${ids(old)}::uuid[])`);
  ctx.log.warn({ code, message, notices: rows.length, givenUp: old.length }, "a notice could not be sent by mail");
}
