const CRC_TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  return crc;
});

/** CRC-16/CCITT-FALSE of an ASCII text as four upper-case hex digits; "123456789" gives 29B1. */
function crc16(ascii: string): string {
  let crc = 0xffff;
  for (let i = 0; i < ascii.length; i++) {
    crc = ((crc << 8) & 0xffff) ^ CRC_TABLE[(crc >> 8) ^ (ascii.charCodeAt(i) & 0xff)]!;
  }
  return crc.toString(16).toUpperCase().padStart(4, "0");
}

/** Length in the code counts characters and readers differ about accents, so names are folded to ASCII. */
function foldToAscii(text: string, max: number): string {
  return text
    .normalize("NFD")
    .replace(/[^\x20-\x7e]/g, "")
    .slice(0, max)
    .trim();
}

function field(id: string, value: string): string {
  return `${id}${String(value.length).padStart(2, "0")}${value}`;
}

/**
 * The "copia e cola" of a dynamic charge (EMV QRCPS-MPM): the payer's bank reads the true terms at `location`
 * (without scheme, at most 77 characters), so the txid is `***` and the amount only informs.
 */
export function dynamicBrCode(location: string, amount: string, ownerName: string, city: string): string {
  const body =
    field("00", "01") +
    field("01", "12") +
    field("26", field("00", "br.gov.bcb.pix") + field("25", location)) +
    field("52", "0000") +
    field("53", "986") +
    field("54", amount) +
    field("58", "BR") +
    // A field cannot be empty, whatever alphabet the name is written in.
    field("59", foldToAscii(ownerName, 25) || "RECEBEDOR") +
    field("60", foldToAscii(city, 15) || "BRASIL") +
    field("62", field("05", "***")) +
    "6304";
  return body + crc16(body);
}

/** What a code says: a location, or a key with an amount and a txid, each of which may be left out. */
type BrCode = {
  location?: string | undefined;
  chave?: string | undefined;
  amount?: string | undefined;
  txid?: string | undefined;
  /** What a static code says about itself. */
  text?: string | undefined;
};

/** Undefined: it is no BR Code, or its checksum is wrong. */
export function readBrCode(text: unknown): BrCode | undefined {
  if (typeof text !== "string" || !/^[\x20-\x7e]{8,1024}$/.test(text)) return undefined;
  const body = text.slice(0, -4);
  if (!body.endsWith("6304") || crc16(body) !== text.slice(-4)) return undefined;
  const fields = readFields(text);
  const account = readFields(fields?.get("26") ?? "");
  if (account?.get("00")?.toLowerCase() !== "br.gov.bcb.pix") return undefined;
  const txid = readFields(fields?.get("62") ?? "")?.get("05");
  return {
    location: account.get("25"),
    chave: account.get("01"),
    amount: fields?.get("54"),
    text: account.get("02"),
    ...(txid !== undefined && txid !== "***" && { txid }),
  };
}

/** Two digits of id, two of length, the value. */
function readFields(text: string): Map<string, string> | undefined {
  const fields = new Map<string, string>();
  for (let at = 0; at < text.length; ) {
    const length = /^\d{4}$/.test(text.slice(at, at + 4)) ? Number(text.slice(at + 2, at + 4)) : Number.NaN;
    const value = text.slice(at + 4, at + 4 + length);
    if (value.length !== length) return undefined;
    fields.set(text.slice(at, at + 2), value);
    at += 4 + length;
  }
  return fields;
}
