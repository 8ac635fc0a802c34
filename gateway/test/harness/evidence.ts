import { encodePng } from "../../src/accounts/checkout-settings/png.ts";
import type { Client, Reply } from "./client.ts";

/** A PNG whose one pixel has the shade: each shade is another file. */
export const png = (shade = 0): Buffer =>
  encodePng({ width: 1, height: 1, pixels: Buffer.from([shade, shade >> 8, 0, 255]) });

/** The smallest file with the structure of a JPEG: a frame, a scan, an end. */
export const JPEG = Buffer.from(
  "ffd8ffe000104a46494600010100000100010000ffc0000b080001000101011100ffda0008010100003f00d2cf20ffd9",
  "hex",
);

export type EvidenceFile = { id: string; name: string; mediaType: string; size: number; sha256: string };

type Sent = { content?: Uint8Array; name?: string; type?: string; headers?: Record<string, string> };

/** Adds a file to a dispute. */
export const addEvidence = (client: Client, block: string, sent: Sent = {}): Promise<Reply<EvidenceFile>> => {
  const { content = png(), name = "photo.png", type = "image/png", headers = {} } = sent;
  const path = `/balance-blocks/${block}/files?name=${encodeURIComponent(name)}`;
  return client.send("POST", path, content, { headers: { ...headers, "content-type": type } });
};
