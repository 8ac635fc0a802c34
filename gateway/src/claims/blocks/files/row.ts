import { bytes, instant, int, oneOf, type RowOf, table, text, uuid } from "../../../db/columns.ts";

/** Media types that evidence may have. */
export const EVIDENCE_TYPES = ["application/pdf", "image/png", "image/jpeg"] as const;
export type EvidenceType = (typeof EVIDENCE_TYPES)[number];

/**
 * The table of files that a merchant adds to a dispute. They are apart from the blocks, which money commands read and lock,
 * and never change; before the defence they may be removed.
 */
export const blockFiles = table({
  name: "balance_block_files",
  key: ["accountId", "blockId", "fileId"],
  columns: {
    accountId: uuid,
    blockId: uuid,
    fileId: uuid,
    /** As the merchant calls it. */
    name: text,
    mediaType: oneOf(EVIDENCE_TYPES),
    /** Bytes of the file as it came, and its SHA-256. */
    size: int,
    digest: bytes,
    /** The file's own key, sealed under the installation's; and the file, encrypted under its own. */
    sealedKey: text,
    sealedContent: bytes,
    createdAt: instant,
  },
});

/** The columns of a file that are shown. Its content and its key are read only to send the file. */
export const SHOWN = ["fileId", "name", "mediaType", "size", "digest", "createdAt"] as const;
export type FileRow = Pick<RowOf<typeof blockFiles.columns>, (typeof SHOWN)[number]>;
