import { type Static, Type } from "typebox";
import { AnswerObject, OPEN } from "../../../http/contract.ts";
import { pageOf } from "../../../http/pages.ts";
import { EVIDENCE_TYPES, type FileRow } from "./row.ts";

export const EvidenceFile = AnswerObject(
  "EvidenceFile",
  "A file that the merchant has added to a dispute as evidence.",
  {
    id: Type.String({ format: "uuid", description: "Id of the file." }),
    name: Type.String({ description: "As it was called when it was added." }),
    mediaType: Type.Enum([...EVIDENCE_TYPES], { ...OPEN, type: "string", description: "By its content." }),
    size: Type.Integer({ description: "Bytes." }),
    sha256: Type.String({ description: "SHA-256 of its bytes, in hexadecimal." }),
    createdAt: Type.String({ format: "date-time", description: "When it was added." }),
  },
);
export type EvidenceFile = Static<typeof EvidenceFile>;

export const EvidenceFilePage = pageOf(EvidenceFile, "The files of a dispute, newest first.");

export const toEvidenceFile = (row: FileRow): EvidenceFile => ({
  id: row.fileId,
  name: row.name,
  mediaType: row.mediaType,
  size: row.size,
  sha256: row.digest.toString("hex"),
  createdAt: row.createdAt.toISOString(),
});
