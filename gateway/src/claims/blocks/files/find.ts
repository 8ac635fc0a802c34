import type { Context } from "../../../context.ts";
import { pick, type RowOf } from "../../../db/columns.ts";
import type { Queries } from "../../../db/pool.ts";
import { sql } from "../../../db/sql.ts";
import { notFound } from "../../../http/errors.ts";
import { type Page, readPage } from "../../../http/pages.ts";
import { LIMITS } from "../../../lib/limits.ts";
import { type EvidenceFile, toEvidenceFile } from "./file.ts";
import { blockFiles, type FileRow, SHOWN } from "./row.ts";
import { openFile } from "./seal.ts";

/** A dispute of an account, which was checked to be one of the caller's wallet. */
export type OfBlock = { readonly accountId: string; readonly blockId: string };

const LIST = "balance-block-files";

/** One page of a dispute's files, newest first. */
export const listFiles = (
  queries: Queries,
  { accountId, blockId }: OfBlock,
  query: { limit?: number; cursor?: string },
): Promise<Page<EvidenceFile>> =>
  readPage(LIST, query, {
    read: (after, count) =>
      queries.query<FileRow>(sql`
        select ${blockFiles.select("", SHOWN)} from balance_block_files
        where account_id = ${accountId} and block_id = ${blockId} and (${after}::uuid is null or file_id < ${after})
        order by file_id desc limit ${count}`),
    show: toEvidenceFile,
    key: (row) => row.fileId,
  });

/** All files of a dispute, in the order in which they were added. */
export async function readFiles(queries: Queries, { accountId, blockId }: OfBlock): Promise<readonly FileRow[]> {
  const { rows } = await queries.query<FileRow>(sql`
    select ${blockFiles.select("", SHOWN)} from balance_block_files
    where account_id = ${accountId} and block_id = ${blockId} order by file_id limit ${LIMITS.evidenceOfBlock}`);
  return rows;
}

/** A file of a dispute; 404 for a file of another dispute. */
export async function findFile(queries: Queries, { accountId, blockId }: OfBlock, fileId: string): Promise<FileRow> {
  const { rows } = await queries.query<FileRow>(sql`
    select ${blockFiles.select("", SHOWN)} from balance_block_files
    where account_id = ${accountId} and block_id = ${blockId} and file_id = ${fileId}`);
  if (!rows[0]) throw notFound("file", fileId);
  return rows[0];
}

const SEALED = ["sealedKey", "sealedContent"] as const;
const sealedColumns = pick(blockFiles.columns, SEALED);

/** The content of a file of a dispute. */
export async function readContent(
  { db, keys }: Pick<Context, "db" | "keys">,
  { accountId, blockId }: OfBlock,
  fileId: string,
): Promise<Buffer> {
  const { rows } = await db.query<RowOf<typeof sealedColumns>>(sql`
    select ${blockFiles.select("", SEALED)} from balance_block_files
    where account_id = ${accountId} and block_id = ${blockId} and file_id = ${fileId}`);
  if (!rows[0]) throw notFound("file", fileId);
  return openFile(keys, { accountId, fileId }, rows[0]);
}
