/** What a list adds to a Pix that its own answer leaves out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ListWindow, Psp, PspPix } from "../psp/psp.ts";
import { withListedTax } from "./identify.ts";

const AT = Date.parse("2026-11-20T12:00:00Z");
const pixOf = (n: number): PspPix => ({ e2eId: `E${n}`, amount: 1_000, paidAt: new Date(AT), returns: [] });

/** A bank that received so many Pix in one second, and shows ten of them on a page; each has a tax. */
function bank(count: number) {
  const pages: number[] = [];
  const listPix = async ({ page }: ListWindow) => {
    pages.push(page);
    const numbers = Array.from({ length: count }, (_, n) => n).slice(page * 10, page * 10 + 10);
    const nextPage = (page + 1) * 10 < count ? page + 1 : null;
    return { kind: "found" as const, value: { pix: numbers.map((n) => ({ ...pixOf(n), withheld: 7 })), nextPage } };
  };
  return { psp: { listPix } as unknown as Psp, pages };
}

test("a notified tax is found on whichever page the list of its second has it, and no page is read after it", async () => {
  for (const [n, read] of [
    [3, 1],
    [27, 3],
  ] as const) {
    const { psp, pages } = bank(60);
    assert.equal((await withListedTax(psp, pixOf(n), 7)).withheld, 7, `${n}`);
    assert.equal(pages.length, read);
  }
});

test("nothing is listed where no tax is notified, and no more than twenty pages where the list does not have it", async () => {
  const { psp, pages } = bank(10_000);
  assert.equal((await withListedTax(psp, pixOf(1), null)).withheld, undefined);
  assert.equal(pages.length, 0);
  assert.equal((await withListedTax(psp, pixOf(99_999), 7)).withheld, undefined);
  assert.equal(pages.length, 20);
});
