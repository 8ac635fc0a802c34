import { Type } from "typebox";
import type { Context } from "../../context.ts";
import { sql } from "../../db/sql.ts";
import { Exact, OrNull } from "../../http/contract.ts";
import { invalid } from "../../http/errors.ts";
import { canConfirm } from "../../http/fresh.ts";
import type { SessionRoutes } from "../../http/scopes/session.ts";
import { listNotices } from "./list.ts";

const nullableText = OrNull(Type.String());
const When = Type.String({ format: "date-time" });
const NoticeShown = Type.Object({
  id: Type.String({ format: "uuid" }),
  action: Type.String(),
  at: When,
  /** Unseen, and not about this session's own sign-in. */
  isNew: Type.Boolean(),
  by: nullableText,
  browser: nullableText,
  address: nullableText,
  email: nullableText,
  role: nullableText,
  /** The role's account, as it was called then. */
  account: nullableText,
});

/** `/me/notices`: what happened to one's access, and the confirmation of having seen it. */
export function noticeRoutes(route: SessionRoutes, ctx: Context): void {
  route({
    method: "GET",
    path: "/me/notices",
    operationId: "listNotices",
    work: "few",
    summary: "What happened to one's access: sign-ins, what one signs in by, links and roles",
    who: "person",
    answer: Type.Object({ since: When, items: Type.Array(NoticeShown) }),
    async handle({ session }) {
      const { items, seenUntil } = await listNotices(ctx, session!.personId);
      return {
        since: seenUntil.toISOString(),
        items: items.map(({ noticeId, action, at, details }) => ({
          ...{ id: noticeId, action, at: at.toISOString() },
          isNew: at > seenUntil && !(action === "person.sign-in" && details.sessionId === session!.sessionId),
          ...{ by: details.by ?? null, browser: details.browser ?? null, address: details.address ?? null },
          ...{ email: details.email ?? null, role: details.role ?? null, account: details.account ?? null },
        })),
      };
    },
  });

  route({
    method: "POST",
    path: "/me/notices/seen",
    operationId: "seeNotices",
    audits: [],
    summary: "Say that one has seen the notices up to this one",
    who: "person",
    fresh: {
      when: "it hides what happened since the session began, of which whoever has stolen it may be the author",
      asks: ({ until }, session) => new Date(until as string) > session.createdAt && canConfirm(session),
    },
    body: Exact({ until: When }),
    status: 204,
    async handle({ session, body }) {
      const until = new Date(body.until);
      if (until > ctx.clock.date()) throw invalid("until", "is not over yet");
      await ctx.db.query(sql`
        update people set noticed_at = greatest(noticed_at, ${until}) where person_id = ${session!.personId}`);
      return null;
    },
  });
}
