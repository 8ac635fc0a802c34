/** Rows as a CSV file that spreadsheets of Brazil open: semicolons, a byte order mark. */
export function downloadCsv(name: string, rows: readonly (readonly (string | number | undefined)[])[]): void {
  const text = rows.map((row) => row.map(cell).join(";")).join("\r\n");
  const address = URL.createObjectURL(new Blob([`\ufeff${text}\r\n`], { type: "text/csv" }));
  downloadFrom(address, name);
  URL.revokeObjectURL(address);
}

/** A file of the gateway, byte for byte. */
export function downloadFile(name: string, bytes: Uint8Array<ArrayBuffer>, type: string): void {
  const address = URL.createObjectURL(new Blob([bytes], { type }));
  downloadFrom(address, name);
  URL.revokeObjectURL(address);
}

function downloadFrom(address: string, name: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}

/** A text that begins like a formula is shown as text: merchants' customers write some of them. */
function cell(value: string | number | undefined): string {
  if (typeof value === "number") return String(value).replace(".", ",");
  const text = /^[=+\-@\t\r]/.test(value ?? "") ? `'${value}` : (value ?? "");
  return /[";\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
