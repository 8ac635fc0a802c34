import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { AnswerObject, OrNull, ref } from "../http/contract.ts";
import { PageQuery, pageOf, readPage, readPeriod, TimeQuery } from "../http/pages.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import type { EntryRow } from "./entry.ts";
import { listEntries } from "./list.ts";

const State = (description: string) =>
  Type.Unsafe<unknown>({ type: ["object", "null"], additionalProperties: true, description });

const AuditEntry = AnswerObject("AuditEntry", "One change that an operator made.", {
  id: Type.String({ format: "uuid", description: "Id of the entry." }),
  accountId: OrNull(
    Type.String({ format: "uuid" }),
    "The account that was changed; null: the installation itself, such as an institution.",
  ),
  actor: Type.String({ description: "Who did it: the name of the operator token." }),
  action: Type.String({ description: "What was done, such as `account.update`; actions may be added." }),
  objectId: OrNull(Type.String({ format: "uuid" }), "To what."),
  before: State("How it was; null: it did not exist."),
  after: State("How it is since then. Secrets are never in it."),
  createdAt: Type.String({ format: "date-time", description: "When." }),
  seq: Type.Integer({ description: "Number of the entry in the account's log, from 1." }),
  hash: Type.String({ description: "Hash of the entry, hexadecimal; see `GET /audit-log/export`." }),
});
const AuditPage = pageOf(AuditEntry, "A page of the audit log.", "AuditPage");

const Query = Type.Object({
  accountId: Type.Optional(Type.String({ format: "uuid", description: "Only changes of this account." })),
  actor: Type.Optional(
    Type.String({
      maxLength: 400,
      description:
        "Only by this person or token, named as in an entry; of a person also what bears another name of theirs.",
    }),
  ),
  action: Type.Optional(
    Type.String({
      maxLength: 64,
      description: "Only this action; with `.*` at its end every action of that kind, such as `withdrawal.*`.",
    }),
  ),
  aboutMoney: Type.Optional(
    Type.Boolean({
      description: "Only what moved money, let it leave or held it back, decided whose it is, or asked for that.",
    }),
  ),
  objectId: Type.Optional(Type.String({ format: "uuid", description: "Only changes of this object." })),
  ...TimeQuery,
  ...PageQuery,
});

const LIST = "audit-log";

/** Whether a page may read the whole log: the index of objects begins with their account, and none has what is about money. */
const isSearch = ({ accountId, objectId, aboutMoney, from }: Static<typeof Query>): boolean =>
  accountId === undefined && (objectId !== undefined || (aboutMoney === true && from === undefined));

/** `GET /audit-log`: every change, newest first. Entries are written together with the change and never changed. */
export function auditLogRoute(route: OperatorRoutes, ctx: Context, houseId: string): void {
  route({
    method: "GET",
    path: "/audit-log",
    operationId: "auditLog.list",
    summary: "List the changes that operators made",
    role: "finance",
    readsHistory: isSearch,
    query: Query,
    answer: ref(AuditPage),
    async handle({ query }) {
      const [from, to] = readPeriod(query, ["from", "to"]);
      const { accountId = null, actor = null, action = null, aboutMoney = false, objectId = null } = query;
      return readPage(LIST, query, {
        read: (after, count) =>
          listEntries(
            isSearch(query) ? ctx.history : ctx.db,
            { accountId, actor, action, aboutMoney, objectId, from, to, after },
            count,
          ),
        show: (row) => toEntry(row, houseId),
        key: (row) => row.auditId,
      });
    },
  });
}

const toEntry = (row: EntryRow, houseId: string): Static<typeof AuditEntry> => ({
  id: row.auditId,
  accountId: row.accountId === houseId ? null : row.accountId,
  actor: row.actor,
  action: row.action,
  objectId: row.objectId,
  before: row.before,
  after: row.after,
  createdAt: row.createdAt.toISOString(),
  seq: row.seq,
  hash: row.hash.toString("hex"),
});
