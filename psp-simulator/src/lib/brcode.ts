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
    field("59", foldToAscii(ownerName, 25)) +
    field("60", foldToAscii(city, 15)) +
    field("62", field("05", "***")) +
    "6304";
  return body + crc16(body);
}
