/** Text that strangers write, as long and as odd as the API takes it, leaves every screen as it was; in a real browser. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callApi } from "./call-api.ts";
import { goTo, page, withConsole } from "./with-console.ts";

const LONG = "W".repeat(255);
/** U+202E, which turns round what follows it. */
const TURNED = "<b>Zé</b> \u202e abc";
const DESKS = [1440, 900];
/** Narrower than its longest word, a column of a list breaks each word, pixels. */
const NARROW = 36;

let charge: string;
withConsole({}, async () => {
  const order = { amount: 900, description: LONG, externalReference: LONG };
  charge = (await callApi<{ id: string }>(page, "POST", "/v2/pix", order)).id;
  await callApi(page, "POST", `/v2/sandbox/pix/${charge}/pay`, { payer: { name: TURNED, document: "12345678909" } });
  for (const holderName of ["Rosana Figueiredo", LONG, TURNED]) {
    await callApi(page, "POST", "/v2/withdrawals", {
      ...{ amount: 5, pixKey: "12345678909", pixKeyType: "cpf", holderName },
      ...{ holderDocument: "12345678909", holderDocumentType: "cpf" },
    });
  }
  // While it is not paid a withdrawal has the name that was asked for, and the bank's afterwards, whenever that comes.
  await page.route("**/operator/v1/withdrawals?*", async (route) => {
    const body = await route
      .fetch()
      .then((answer) => answer.json() as Promise<{ items: { receiverName?: string; paidToOther?: boolean }[] }>)
      .catch(() => null);
    if (body === null) return;
    await route.fulfill({
      json: { ...body, items: body.items.map(({ receiverName: _, paidToOther: __, ...one }) => one) },
    });
  });
  // A page that is left while its list is read has no answer to change.
  await page.route("**/operator/v1/accounts?*", async (route) => {
    const body = await route
      .fetch()
      .then((answer) => answer.json() as Promise<{ items: object[] }>)
      .catch(() => null);
    if (body === null) return;
    await route.fulfill({ json: { ...body, items: body.items.map((one) => ({ ...one, name: "M".repeat(100) })) } });
  });
});

async function open(path: string, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await goTo(path);
  await page.locator("main :is(tbody tr, .two-lines li, .facts):visible").first().waitFor();
  // The list measures its columns once its font is there.
  await page.evaluate("document.fonts.ready.then(() => null)");
}
/** By how much the screen is wider than the window, pixels. */
const beyond = () => page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth");
const narrow = () =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll("main .table th")].filter((one) => one.offsetWidth > 0 && one.offsetWidth < ${NARROW})
      .map((one) => one.innerText + " " + one.offsetWidth)`,
  );

describe("a text of 255 characters without a space", { timeout: 300_000 }, () => {
  for (const path of ["withdrawals", "operator/withdrawals", "charges", "transactions", "statement", ""]) {
    test(`leaves each column of /${path} its place`, async () => {
      for (const width of DESKS) {
        await open(path, width);
        assert.deepEqual({ width, beyond: await beyond(), narrow: await narrow() }, { width, beyond: 0, narrow: [] });
      }
    });
  }

  test("leaves the page of its charge as wide as the window", async () => {
    for (const width of [...DESKS, 390]) {
      await open(`charges/${charge}`, width);
      assert.deepEqual({ width, beyond: await beyond() }, { width, beyond: 0 });
    }
  });
});

describe("a name that turns its own end round", { timeout: 300_000 }, () => {
  test("turns round nothing that stands beside it", async () => {
    await open("operator/withdrawals", 390);
    const [first, second] = await page.evaluate<[number, number]>(`(() => {
      const row = [...document.querySelectorAll("main .two-lines li")].find((one) => one.innerText.includes("Zé"));
      const walk = document.createTreeWalker(row.querySelector(".quiet"), NodeFilter.SHOW_TEXT);
      const texts = [];
      while (walk.nextNode()) texts.push(walk.currentNode);
      const leftOf = (text, i) => {
        const range = document.createRange();
        range.setStart(text, i);
        range.setEnd(text, i + 1);
        return range.getBoundingClientRect().left;
      };
      return [leftOf(texts[0], 0), leftOf(texts.at(-1), 1)];
    })()`);
    assert.ok(first < second, `the account's name is turned round: ${first}, ${second}`);
  });
});
