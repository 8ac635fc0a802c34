import { Type } from "typebox";
import type { Context } from "../context.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { Raw } from "../http/answer.ts";
import { AnswerObject, ref } from "../http/contract.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { signHead } from "./chain.ts";
import { readEntries } from "./check.ts";
import { toChained } from "./entry.ts";

const LINES = "application/x-ndjson";

const AuditHead = AnswerObject(
  "AuditHead",
  "How far the audit log reached, signed. Kept elsewhere, it shows later whether the log was rewritten.",
  {
    createdAt: Type.String({ format: "date-time", description: "When it was made." }),
    chains: Type.Array(
      Type.Object({
        accountId: Type.String({ format: "uuid", description: "The account; the installation has one too." }),
        seq: Type.Integer({ description: "Number of its last entry." }),
        hash: Type.String({ description: "Hash of that entry, hexadecimal." }),
      }),
      { description: "Where the log of each account ended." },
    ),
    publicKey: Type.String({ description: "Ed25519 key, base64url; derived from the master key." }),
    signature: Type.String({
      description:
        "Ed25519, base64url, of `chains`, `createdAt` and `publicKey` as JSON with sorted keys and no spaces.",
    }),
  },
);

/** `GET /audit-log/export` and `/head`: the log as a chain, to be checked and stored elsewhere. */
export function auditExportRoutes(route: OperatorRoutes, ctx: Context): void {
  route({
    method: "GET",
    path: "/audit-log/export",
    operationId: "auditLog.export",
    work: "file",
    summary: "Export the audit log as JSON lines",
    description:
      "Account by account, oldest first. `hash` is the SHA-256 of all other fields of the line as JSON with sorted keys and no spaces; `previousHash` is the hash of the account's entry before.",
    role: "finance",
    query: Type.Object({
      accountId: Type.Optional(Type.String({ format: "uuid", description: "Only the log of this account." })),
    }),
    onlyAs: { [LINES]: "A line for each entry." },
    handle: async ({ query }) => new Raw(LINES, linesOf(ctx.db, query.accountId ?? null)),
  });

  route({
    method: "GET",
    path: "/audit-log/head",
    operationId: "auditLog.head",
    work: "row",
    summary: "Show where the audit log ends, signed",
    role: "finance",
    answer: ref(AuditHead),
    async handle() {
      const { rows } = await ctx.db.query<{ account_id: string; seq: number; hash: Buffer }>(
        sql`select account_id, seq, hash from audit_heads order by account_id`,
      );
      const chains = rows.map(({ account_id, seq, hash }) => ({
        accountId: account_id,
        seq,
        hash: hash.toString("hex"),
      }));
      return signHead(ctx.keys.auditLog, { createdAt: ctx.clock.date().toISOString(), chains });
    },
  });
}

async function* linesOf(queries: Queries, accountId: string | null): AsyncGenerator<string> {
  for await (const rows of readEntries(queries, accountId)) {
    yield rows.map((row) => `${JSON.stringify({ ...toChained(row), hash: row.hash.toString("hex") })}\n`).join("");
  }
}
