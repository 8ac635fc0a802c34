import type { EvidenceType } from "./row.ts";

const PNG = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
/** A PNG's last chunk: its length 0, its name and its checksum. */
const PNG_END = Buffer.from("\x00\x00\x00\x00IEND\xae\x42\x60\x82", "latin1");
/** Where the mark of a PDF's end may be, bytes from its end: some writers add spaces or a comment. */
const PDF_TAIL = 1_024;

/** What a file is by its content, whatever its name and type say; null: none of the types that evidence may have. */
export function recognise(content: Buffer): EvidenceType | null {
  if (isPdf(content)) return "application/pdf";
  if (isPng(content)) return "image/png";
  return isJpeg(content) ? "image/jpeg" : null;
}

/** Head and end of ISO 32000-2, 7.5. */
const isPdf = (content: Buffer): boolean =>
  /^%PDF-[12]\.\d[\r\n \t%]/.test(content.toString("latin1", 0, 16)) &&
  content.subarray(-PDF_TAIL).includes("%%EOF") &&
  content.includes("startxref");

/** Signature, a head with a size, and the last chunk at the very end (PNG, 5.2 and 5.6). */
const isPng = (content: Buffer): boolean =>
  content.subarray(0, 8).equals(PNG) &&
  content.length > 57 &&
  content.readUInt32BE(8) === 13 &&
  content.toString("latin1", 12, 16) === "IHDR" &&
  content.readUInt32BE(16) > 0 &&
  content.readUInt32BE(20) > 0 &&
  content.subarray(-12).equals(PNG_END);

/**
 * The segments up to the first scan, with a frame among them, and an end of image behind it (ITU-T T.81, annex B). Cameras
 * may add something of their own after the end.
 */
function isJpeg(content: Buffer): boolean {
  if (content.length < 4 || content.readUInt16BE(0) !== 0xffd8) return false;
  let hasFrame = false;
  for (let at = 2; at + 4 <= content.length; ) {
    const marker = content[at + 1]!;
    if (content[at] !== 0xff) return false;
    // A fill byte.
    if (marker === 0xff) at += 1;
    else if (marker === 0xda) return hasFrame && content.indexOf(Buffer.of(0xff, 0xd9), at) !== -1;
    else {
      // Frames are C0 to CF without tables of Huffman codes (C4), an extension (C8) and conditionings (CC).
      hasFrame ||= marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
      const length = content.readUInt16BE(at + 2);
      if (length < 2 || marker < 0xc0) return false;
      at += 2 + length;
    }
  }
  return false;
}
