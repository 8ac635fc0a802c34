import { type Static, Type } from "typebox";
import type { Context } from "../../context.ts";
import { texts } from "../../db/arrays.ts";
import { sql } from "../../db/sql.ts";
import { type Caller, hasPermission } from "../../http/auth.ts";
import { AnswerObject, AnswerPart, OPEN, ref } from "../../http/contract.ts";
import { PERMISSIONS, type Permission } from "../../http/permissions.ts";
import { present } from "../../lib/present.ts";
import { linesOfTransaction } from "../../statement/of-transaction.ts";
import { StatementItem, toItem } from "../../statement/statement.ts";
import { findTransaction } from "../../transactions/find.ts";
import { listTransactions } from "../../transactions/list.ts";
import { Transaction } from "../../transactions/transaction.ts";
import { EVENT_KINDS, eventIdOf } from "../../webhooks/events/catalogue.ts";
import { BalanceBlock, toBalanceBlock } from "./block.ts";
import { EvidenceFile, toEvidenceFile } from "./files/file.ts";
import { readFiles } from "./files/find.ts";
import type { EvidenceType } from "./files/row.ts";
import type { Block } from "./row.ts";

/** Most transactions that followed from the payment, and most lines of the statement. */
const MOST_RELATED = 100;
const MOST_LINES = 300;

/**
 * Endings of file names in the ZIP. The merchant's own names are not used there: one could have a special meaning on the
 * machine that unpacks it.
 */
const ENDINGS: Readonly<Record<EvidenceType, string>> = {
  "application/pdf": "pdf",
  "image/png": "png",
  "image/jpeg": "jpg",
};

const FileDelivery = AnswerPart(
  "An event about the payment or the dispute, and what became of sending it to one endpoint.",
  {
    event: Type.String({ description: "Kind of the event." }),
    eventId: Type.String({ description: "The event." }),
    createdAt: Type.String({ format: "date-time", description: "When the gateway booked it." }),
    endpointId: Type.Optional(Type.String({ description: "The endpoint; left out: it was sent to none." })),
    endpoint: Type.Optional(
      Type.String({
        description:
          "Where it was sent, without what follows the host, which may be a secret; left out: to no endpoint.",
      }),
    ),
    status: Type.Optional(Type.String({ description: "`pending`, `delivered` or `failed`." })),
    attempts: Type.Optional(Type.Integer({ description: "Attempts made." })),
    webhookId: Type.Optional(Type.String({ description: "`X-Service-Webhook-ID` of the last attempt." })),
    statusCode: Type.Optional(Type.Integer({ description: "What the receiver answered to the last attempt." })),
    finishedAt: Type.Optional(Type.String({ format: "date-time", description: "When it was delivered, or failed." })),
  },
);

export const BalanceBlockFile = AnswerObject(
  "BalanceBlockFile",
  "Everything that the gateway knows of a dispute, in one.",
  {
    madeAt: Type.String({ format: "date-time", description: "When it was put together." }),
    block: ref(BalanceBlock),
    transaction: Type.Optional(ref(Transaction)),
    related: Type.Array(ref(Transaction), {
      description: `What followed from the payment: refunds, fees, legs of its split, chargebacks; the newest ${MOST_RELATED}.`,
    }),
    statement: Type.Array(ref(StatementItem), {
      description: `The wallet's lines of the payment and of what followed from it; the newest ${MOST_LINES}.`,
    }),
    deliveries: Type.Array(FileDelivery, { description: "The events about them, and who has received them." }),
    files: Type.Array(
      AnswerPart("A file, and where it is in the ZIP.", {
        archivedAs: Type.String({ description: "Its name in the ZIP." }),
        file: ref(EvidenceFile),
      }),
      { description: "The files that the merchant has added as evidence, the oldest first." },
    ),
    auditLog: Type.Optional(
      AnswerPart("How far the account's audit log reached then. Left out: it has no entry.", {
        seq: Type.Integer({ description: "The account's last entry." }),
        hash: Type.String({ description: "Its SHA-256, in hexadecimal, which covers every entry before it." }),
      }),
    ),
    leftOut: Type.Array(Type.Enum([...PERMISSIONS], { ...OPEN, type: "string" }), {
      description: "Permissions that the caller lacks; what they show is left out.",
    }),
  },
);
export type BalanceBlockFile = Static<typeof BalanceBlockFile>;

/** Gathers the dossier of a block, which the API calls its file, from everything that its caller may read. */
export async function gatherDossier(ctx: Context, caller: Caller, block: Block): Promise<BalanceBlockFile> {
  const { accountId, walletId, chargeId } = block;
  const may = (permission: Permission) => hasPermission(caller, permission);
  const wallet = { accountId, walletId };
  const shown = chargeId !== null && may("TRANSACTION:READ");
  const transaction = shown ? await findTransaction(ctx, accountId, walletId, chargeId) : null;
  const related = shown
    ? (
        await listTransactions(ctx.db.inShardOf(accountId), wallet, {
          originalTransactionId: chargeId,
          limit: MOST_RELATED,
        })
      ).items
    : [];
  const whole = { from: null, to: null, kinds: null, after: null };
  const { lines } =
    chargeId !== null && may("ACCOUNT:READ")
      ? await linesOfTransaction(ctx.history, wallet, { originalTransactionId: chargeId }, whole, MOST_LINES)
      : { lines: [] };
  const changes = (block.amountChanges ?? []).map(({ id }) => id);
  const about = [block.blockId, ...changes, ...(chargeId === null ? [] : [chargeId]), ...related.map(({ id }) => id)];
  return {
    madeAt: ctx.clock.date().toISOString(),
    block: toBalanceBlock(block),
    ...present<Pick<BalanceBlockFile, "transaction" | "auditLog">>({
      transaction,
      auditLog: await readHead(ctx, accountId),
    }),
    related: [...related],
    statement: lines.map(({ subAccount: _, ...line }) => toItem(line)),
    files: (await readFiles(ctx.db, block)).map((row, i) => ({
      archivedAs: `evidence-${String(i + 1).padStart(2, "0")}.${ENDINGS[row.mediaType]}`,
      file: toEvidenceFile(row),
    })),
    deliveries: may("WEBHOOK:READ") ? await readDeliveries(ctx, wallet, about) : [],
    leftOut: (["TRANSACTION:READ", "ACCOUNT:READ", "WEBHOOK:READ"] as const).filter((name) => !may(name)),
  };
}

async function readHead({ db }: Context, accountId: string): Promise<{ seq: number; hash: string } | null> {
  const { rows } = await db.query<{ seq: number; hash: string | null }>(sql`
    select seq, encode(hash, 'hex') as hash from audit_heads where account_id = ${accountId}`);
  const head = rows[0];
  return head && head.hash !== null ? { seq: head.seq, hash: head.hash } : null;
}

type DeliveryRow = {
  kind: string;
  event_id: string;
  created_at: Date;
  endpoint_id: string | null;
  url: string | null;
  status: string | null;
  attempts: number | null;
  finished_at: Date | null;
  webhook_id: string | null;
  status_code: number | null;
};

/** The deliveries of events about these objects: the ids of events are made from those of the objects. */
async function readDeliveries(
  { history }: Context,
  { accountId, walletId }: { readonly accountId: string; readonly walletId: string },
  about: readonly string[],
): Promise<BalanceBlockFile["deliveries"]> {
  const ids = about.flatMap((id) =>
    EVENT_KINDS.flatMap((kind) => [eventIdOf(kind, id), eventIdOf(kind, id, "failed")]),
  );
  const { rows } = await history.query<DeliveryRow>(sql`
    select e.kind, e.event_id, e.created_at, d.endpoint_id, w.url, d.status, d.attempts, d.finished_at, a.webhook_id, a.status_code
    from events e
    left join deliveries d on d.account_id = e.account_id and d.event_id = e.event_id
    left join webhook_endpoints w on w.account_id = d.account_id and w.endpoint_id = d.endpoint_id
    left join delivery_attempts a on a.account_id = d.account_id and a.delivery_id = d.delivery_id and a.attempt = d.attempts
    where e.account_id = ${accountId} and e.wallet_id = ${walletId}
      and e.event_id = any(${texts([...new Set(ids)])}::text[])
    order by e.created_at, e.event_id, d.delivery_id limit ${MOST_LINES}`);
  return rows.map((row) => ({
    event: row.kind,
    eventId: row.event_id,
    createdAt: row.created_at.toISOString(),
    ...present<Partial<Static<typeof FileDelivery>>>({
      endpointId: row.endpoint_id,
      // The dossier is given to others, and the path or query of an endpoint often contains its secret.
      endpoint: row.url && new URL(row.url).origin,
      status: row.status,
      attempts: row.attempts,
      webhookId: row.webhook_id,
      statusCode: row.status_code,
      finishedAt: row.finished_at?.toISOString(),
    }),
  }));
}
