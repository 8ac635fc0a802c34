import { Type } from "typebox";
import type { Context } from "../../../context.ts";
import { Raw } from "../../../http/answer.ts";
import { Name, PathId, ref } from "../../../http/contract.ts";
import { prefers } from "../../../http/csv.ts";
import { notFound } from "../../../http/errors.ts";
import { PageQuery } from "../../../http/pages.ts";
import type { MerchantGiven, MerchantRoutes } from "../../../http/scopes/merchant.ts";
import { LIMITS } from "../../../lib/limits.ts";
import { findBlock } from "../list.ts";
import { addFile, checkFile, removeFile, requireRoom } from "./add.ts";
import { EvidenceFile, EvidenceFilePage, toEvidenceFile } from "./file.ts";
import { findFile, listFiles, type OfBlock, readContent } from "./find.ts";
import { EVIDENCE_TYPES } from "./row.ts";

const BYTES = "application/octet-stream";
const common = { tag: "Balance blocks", extension: true } as const;
const fresh = { not: "it prepares an answer to a dispute and moves no money" } as const;
const Block = Type.Object({ id: PathId("balance block", "Id of the block.") });
const File = Type.Object({ ...Block.properties, fileId: PathId("file", "Id of the file.") });

export function blockFileRoutes(route: MerchantRoutes, ctx: Context): void {
  /** The caller's dispute; 404 for another wallet's. */
  const blockOf = async ({ caller: { accountId }, wallet }: MerchantGiven, blockId: string): Promise<OfBlock> => {
    const block = await findBlock(ctx.db, { accountId, walletId: wallet.walletId }, blockId);
    if (block === null) throw notFound("balance block", blockId);
    return { accountId, blockId };
  };

  route({
    ...common,
    method: "POST",
    path: "/balance-blocks/:id/files",
    operationId: "balanceBlocks.addFile",
    summary: "Add a file to a dispute",
    description: `Evidence, such as a signed receipt: the body is the file. At most ${LIMITS.evidenceBytes / 1024 / 1024} MiB each and ${LIMITS.evidenceOfBlock} a dispute, before the defence is sent. It is recognised by its content; the same content again is the same file. It is kept encrypted, and is part of the dispute's file as ZIP (\`GET /balance-blocks/{id}/file\`). It is not sent to the institution: no interface of one takes files.`,
    permission: "BALANCE_BLOCK:WRITE",
    fresh,
    params: Block,
    query: Type.Object({
      name: Name({ maxLength: 120, description: "Name of the file, without a path.", examples: ["receipt.pdf"] }),
    }),
    upload: { types: EVIDENCE_TYPES, bytes: LIMITS.evidenceBytes },
    status: 201,
    answer: ref(EvidenceFile),
    errors: ["RESOURCE_NOT_FOUND", "BALANCE_BLOCK_NOT_DEFENDABLE", "BALANCE_BLOCK_FILE_LIMIT"],
    async handle(call) {
      const block = await blockOf(call, call.params.id);
      const file = checkFile(call.query.name, call.mediaType, call.body as Buffer | undefined);
      await requireRoom(ctx.db, block, ctx.clock.date());
      return call.transact((tx) => addFile(ctx, tx, block, file));
    },
  });

  route({
    ...common,
    method: "GET",
    path: "/balance-blocks/:id/files",
    operationId: "balanceBlocks.listFiles",
    summary: "List the files of a dispute",
    permission: "BALANCE_BLOCK:READ",
    params: Block,
    query: Type.Object(PageQuery),
    answer: ref(EvidenceFilePage),
    errors: ["RESOURCE_NOT_FOUND", "VALIDATION_ERROR"],
    handle: async (call) => listFiles(ctx.db, await blockOf(call, call.params.id), call.query),
  });

  route({
    ...common,
    method: "GET",
    path: "/balance-blocks/:id/files/:fileId",
    operationId: "balanceBlocks.getFile",
    summary: "Read a file of a dispute",
    description:
      "What it is; `Accept: application/octet-stream` gives the file itself, to be stored: a browser never shows it by itself.",
    permission: "BALANCE_BLOCK:READ",
    params: File,
    answer: ref(EvidenceFile),
    alsoAs: { [BYTES]: "The file." },
    errors: ["RESOURCE_NOT_FOUND"],
    async handle(call) {
      const block = await blockOf(call, call.params.id);
      const file = await findFile(ctx.db, block, call.params.fileId);
      if (prefers(call.accept, [BYTES]) === null) return toEvidenceFile(file);
      return new Raw(BYTES, await readContent(ctx, block, file.fileId), {
        "content-disposition": `attachment; filename*=UTF-8''${encodeName(file.name)}`,
        "x-content-type-options": "nosniff",
        "content-security-policy": "sandbox; default-src 'none'",
        "cache-control": "no-store",
      });
    },
  });

  route({
    ...common,
    method: "DELETE",
    path: "/balance-blocks/:id/files/:fileId",
    operationId: "balanceBlocks.deleteFile",
    summary: "Remove a file of a dispute",
    final: "The gateway keeps no copy of the file.",
    description: "Before the defence is sent; afterwards its files stay.",
    permission: "BALANCE_BLOCK:WRITE",
    fresh,
    params: File,
    status: 204,
    errors: ["RESOURCE_NOT_FOUND", "BALANCE_BLOCK_NOT_DEFENDABLE"],
    async handle(call) {
      const block = await blockOf(call, call.params.id);
      await ctx.db.transaction((tx) => removeFile(tx, block, call.params.fileId));
      return null;
    },
  });
}

/**
 * Encodes a file's name for a header (RFC 8187), also the characters that `encodeURIComponent` leaves and a header must not
 * have.
 */
const encodeName = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
