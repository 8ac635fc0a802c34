import assert from "node:assert/strict";
import { test } from "node:test";
import { makePdf } from "../lib/pdf/make-pdf.ts";
import { ApiError } from "./errors.ts";
import { pdfFile } from "./pdf.ts";

test("a paper of more pages than one may have is refused with a code, and any other is a file", async () => {
  const head = { title: "Long", under: "Loja", language: "en", madeAt: new Date(0) } as const;
  const paperOf = (lines: number) => makePdf(head, (paper) => paper.text("line\n".repeat(lines)));
  await assert.rejects(pdfFile("long", paperOf(20_000)), (error: unknown) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.status, error.code, error.details], [400, "PDF_TOO_LONG", { limit: 100 }]);
    return true;
  });
  assert.equal((await pdfFile("short", paperOf(20))).contentType, "application/pdf");
});
