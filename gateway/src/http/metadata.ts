import { LIMITS } from "../lib/limits.ts";
import { FreeObject } from "./contract.ts";
import { invalid } from "./errors.ts";

/** The schema of a request's `metadata`. */
export const Metadata = (description: string) =>
  FreeObject({
    maxProperties: LIMITS.metadataKeys,
    description: `${description} At most ${LIMITS.metadataKeys} keys and ${LIMITS.metadataBytes / 1024} KiB of JSON. An integer beyond 2^53, or a number of more than 17 digits, is refused: send it as text.`,
  });

/**
 * The metadata of a request; null without any, 400 beyond 16 KiB. A page shows 100 objects with their metadata, and
 * building 25 MB of JSON would stop the process for everybody.
 */
export function readMetadata(metadata: unknown): Record<string, unknown> | null {
  if (metadata === undefined || metadata === null) return null;
  if (Buffer.byteLength(JSON.stringify(metadata)) <= LIMITS.metadataBytes) return metadata as Record<string, unknown>;
  throw invalid("metadata", `is larger than ${LIMITS.metadataBytes} bytes`);
}
