import type { Context } from "../../../context.ts";
import type { Queries, Tx } from "../../../db/pool.ts";
import { sql } from "../../../db/sql.ts";
import { ApiError, invalid, notFound } from "../../../http/errors.ts";
import { LIMITS } from "../../../lib/limits.ts";
import { sha256 } from "../../../lib/secrets.ts";
import type { BlockStatus } from "../row.ts";
import { type EvidenceFile, toEvidenceFile } from "./file.ts";
import type { OfBlock } from "./find.ts";
import { recognise } from "./recognise.ts";
import { blockFiles, type FileRow, SHOWN } from "./row.ts";
import { sealFile } from "./seal.ts";

/** A file as it came, checked. */
type NewFile = Omit<FileRow, "fileId" | "createdAt"> & { readonly content: Buffer };

/** Checks a file by its content, and that the content has the type as which it was sent. */
export function checkFile(name: string, declared: string, content: Buffer | undefined): NewFile {
  if (content === undefined) throw invalid("body", "is missing");
  if (/[/\\]/.test(name)) throw invalid("name", "must be a name without a path");
  const mediaType = recognise(content);
  if (mediaType === null) throw invalid("body", "is no whole PDF, PNG or JPEG");
  if (mediaType !== declared) throw invalid("body", `is ${mediaType}, and was sent as ${declared}`);
  return { name, mediaType, size: content.length, digest: sha256(content), content };
}

type Standing = {
  status: BlockStatus;
  respond_by: Date | null;
  files: number;
  account_files: number;
  account_bytes: number;
};

/**
 * Stores a file of a dispute that awaits its defence. Adding the same content again returns the same file. The row is written
 * before the block is locked and the limits are checked, so that the lock, for which money commands wait, is held for the
 * checks alone. Concurrent uploads to several disputes may exceed the account's total by their own sizes.
 */
export async function addFile(
  { clock, ids, keys }: Pick<Context, "clock" | "ids" | "keys">,
  tx: Tx,
  { accountId, blockId }: OfBlock,
  { name, mediaType, size, digest, content }: NewFile,
): Promise<EvidenceFile> {
  const [fileId, createdAt] = [ids.uuid(), clock.date()];
  const { sealedKey, sealedContent } = sealFile(keys, { accountId, fileId }, content);
  const { rows } = await tx.query<FileRow>(sql`
    insert into balance_block_files (account_id, block_id, file_id, name, media_type, size, digest, sealed_key, sealed_content,
      created_at)
    values (${accountId}, ${blockId}, ${fileId}, ${name}, ${mediaType}, ${size}, ${digest}, ${sealedKey}, ${sealedContent},
      ${createdAt})
    on conflict (account_id, block_id, digest) do nothing returning ${blockFiles.select("", SHOWN)}`);
  if (!rows[0]) return toEvidenceFile(await findSame(tx, { accountId, blockId }, digest));
  await lockBlock(tx, { accountId, blockId });
  await requireRoom(tx, { accountId, blockId }, createdAt);
  return toEvidenceFile(rows[0]);
}

/**
 * Refuses where the dispute takes no more files. `addFile` calls it once the row is written, and the route before the file is
 * encrypted.
 */
export async function requireRoom(queries: Queries, { accountId, blockId }: OfBlock, now: Date): Promise<void> {
  const { rows } = await queries.query<Standing>(sql`
    select b.status, b.respond_by,
      (select count(*) from balance_block_files f where f.account_id = ${accountId} and f.block_id = ${blockId}) as files,
      (select count(*) from balance_block_files f where f.account_id = ${accountId}) as account_files,
      (select coalesce(sum(f.size), 0)::bigint from balance_block_files f where f.account_id = ${accountId}) as account_bytes
    from balance_blocks b where b.account_id = ${accountId} and b.block_id = ${blockId}`);
  const block = rows[0];
  if (!block) throw notFound("balance block", blockId);
  requireOpen(block);
  if (block.respond_by !== null && now > block.respond_by) {
    const message = "The time for a defence, and for its files, is over.";
    throw new ApiError("BALANCE_BLOCK_NOT_DEFENDABLE", message, {
      status: block.status,
      respondBy: block.respond_by.toISOString(),
    });
  }
  const { evidenceOfBlock, evidenceOfAccount, evidenceOfAccountBytes: limitBytes } = LIMITS;
  const limit = block.files > evidenceOfBlock ? evidenceOfBlock : evidenceOfAccount;
  if (block.files > evidenceOfBlock || block.account_files > limit || block.account_bytes > limitBytes) {
    throw new ApiError("BALANCE_BLOCK_FILE_LIMIT", undefined, { limit, limitBytes });
  }
}

/** Removes a file of a dispute whose defence was not sent yet. */
export async function removeFile(tx: Tx, { accountId, blockId }: OfBlock, fileId: string): Promise<void> {
  const status = await lockBlock(tx, { accountId, blockId });
  const { rowCount } = await tx.query(sql`
    delete from balance_block_files
    where account_id = ${accountId} and block_id = ${blockId} and file_id = ${fileId}`);
  if (rowCount === 0) throw notFound("file", fileId);
  requireOpen({ status });
}

function requireOpen({ status }: { readonly status: BlockStatus }): void {
  if (status === "awaiting_response") return;
  const message = "The defence was sent, or the dispute has ended: its files stay as they are.";
  throw new ApiError("BALANCE_BLOCK_NOT_DEFENDABLE", message, { status });
}

async function lockBlock(tx: Tx, { accountId, blockId }: OfBlock): Promise<BlockStatus> {
  const { rows } = await tx.query<{ status: BlockStatus }>(sql`
    select status from balance_blocks where account_id = ${accountId} and block_id = ${blockId} for no key update`);
  if (!rows[0]) throw notFound("balance block", blockId);
  return rows[0].status;
}

async function findSame(tx: Tx, { accountId, blockId }: OfBlock, digest: Buffer): Promise<FileRow> {
  const { rows } = await tx.query<FileRow>(sql`
    select ${blockFiles.select("", SHOWN)} from balance_block_files
    where account_id = ${accountId} and block_id = ${blockId} and digest = ${digest}`);
  if (!rows[0]) throw new ApiError("OVERLOADED", undefined, { retryable: true }, { "retry-after": "1" });
  return rows[0];
}
