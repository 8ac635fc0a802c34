/** A page of lines in Helvetica as a PDF 1.4: enough for a receipt. Characters beyond Latin-1 become `?`. */
export function pdfOf(lines: readonly string[]): Buffer {
  const texts = lines.map((line) => `(${line.replace(/[\\()]/g, "\\$&")}) Tj T*`);
  const page = ["BT /F1 12 Tf 16 TL 56 780 Td", ...texts, "ET"].join("\n");
  const stream = latin1(page);
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${stream.length} >>\nstream\n${stream.toString("latin1")}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
  ];
  let text = "%PDF-1.4\n";
  const places: string[] = [];
  for (const [i, object] of objects.entries()) {
    places.push(`${String(text.length).padStart(10, "0")} 00000 n \n`);
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
  }
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}`;
  const end = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(text + table + end, "latin1");
}

const latin1 = (text: string): Buffer => Buffer.from(text.replace(/[^\n -ÿ]/gu, "?"), "latin1");
