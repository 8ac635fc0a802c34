/** A live list under its reader: in a real browser, rows that come in move nothing that somebody is at. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventually, eventuallyEqual } from "./eventually.ts";
import { goTo, opened, page, withConsole } from "./with-console.ts";

/** As many rows as make each list higher than the window. */
const ROWS = 9;
const VIEWPORT = { width: 1440, height: 420 };

/** In the page, before anything of it: gives what has moved of the list since it was last asked, and by how much. */
const WATCH_SHIFT = `
  const isOfList = ({ node }) => (node?.nodeType === 1 ? node : node?.parentElement)?.closest(".rows") != null;
  const say = ({ node, previousRect: was, currentRect: is }) => (node.className || node.nodeName) +
    " x " + was.x + "→" + is.x + " y " + was.y + "→" + is.y + " h " + was.height + "→" + is.height;
  let shifts = [];
  const note = (entries) => {
    for (const { value, sources } of entries) {
      const moved = sources.filter(isOfList);
      if (moved.length > 0) shifts.push([value, moved.map(say).join(", ")]);
    }
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ type: "layout-shift", buffered: true });
  // A busy browser hands entries over later: they would be counted as of what came after them.
  window.takeShifts = () => {
    note(observer.takeRecords());
    const taken = shifts;
    shifts = [];
    return taken;
  };`;

/** In the page: the pointer moves at once, on and on, outside of the list; a quick gateway answers before a first interval ends. */
const MOVE_ON = `
  const move = () => document.body.dispatchEvent(new PointerEvent("pointermove", { bubbles: true }));
  move();
  window.moving = setInterval(move, 100);`;

withConsole({}, async () => {
  await page.addInitScript(WATCH_SHIFT);
  await page.setViewportSize(VIEWPORT);
  // Nobody answers there: each event is a delivery, whatever becomes of it.
  await callApi(page, "POST", "/v2/webhook-endpoints", { url: new URL("/nowhere", page.url()).href });
  for (let i = 0; i < ROWS; i += 1) await bePaid();
  for (let i = 0; i < ROWS; i += 1) await withdraw();
});

let made = 0;
async function bePaid(): Promise<void> {
  made += 1;
  const order = { amount: 20 + made, description: "Cesta", externalReference: `pedido-${made}` };
  const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", order);
  await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {});
}
async function withdraw(): Promise<void> {
  made += 1;
  await callApi(page, "POST", "/v2/withdrawals", {
    ...{ amount: 5 + made / 100, pixKey: "12345678909", pixKeyType: "cpf", externalReference: `saque-${made}` },
    ...{ holderName: "Rosana Figueiredo", holderDocument: "12345678909", holderDocumentType: "cpf" },
  });
}

/** Waits until what was made has come to its end: nothing of it comes in later. */
async function settle(): Promise<void> {
  type Page = { items: { status: string }[] };
  const lists = ["/v2/withdrawals?limit=100", "/v2/transactions?type=payment&limit=100"];
  await eventuallyEqual(async () => {
    const read = await Promise.all(lists.map((list) => callApi<Page>(page, "GET", list)));
    return read.flatMap(({ items }) => items.filter(({ status }) => status !== "completed"));
  }, []);
}

async function open(path: string): Promise<void> {
  await settle();
  await page.mouse.move(2, 2);
  await goTo(path);
  await page
    .locator(ROW)
    .nth(ROWS - 1)
    .waitFor();
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  // What moves while the screen is loaded is another test's.
  await page.evaluate(
    "document.fonts.ready.then(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))",
  );
  await page.evaluate("takeShifts()");
}

const ROW = "main .rows tbody tr";
const fresh = () => page.locator(".new-rows").getByRole("button", { name: /linhas? novas?/ });
const firstRowTop = (): Promise<number> =>
  page.evaluate(`Math.round(document.querySelector("${ROW}").getBoundingClientRect().top)`);
const focusedRow = (): Promise<number> => page.evaluate("document.activeElement.closest('tr').rowIndex");
/** The rows by what does not change of them: each test says which of their cells. */
async function rows(): Promise<string[]> {
  const path = new URL(page.url()).pathname;
  const cells = CELLS.find(([name]) => path.endsWith(name))![1];
  const texts = await page.evaluate<string[][]>(
    `[...document.querySelectorAll("${ROW}")].map((row) => [...row.children].map((cell) => cell.textContent))`,
  );
  return texts.map((row) => cells.map((cell) => row[cell]).join(" "));
}
/** Screens, and the columns that tell their rows apart. */
const CELLS = [
  ["charges", [0, 5]],
  ["statement", [0, 1, 2, 3]],
  ["withdrawals", [0, 2, 4]],
  ["developers/webhooks", [0, 1, 2]],
  ["developers/events", [2, 4]],
] as const;
const assertStill = async (): Promise<void> => assert.deepEqual(await page.evaluate("takeShifts()"), []);
/** Waits until another row than before stands first. */
async function comesIn(before: readonly string[]): Promise<void> {
  const now = await eventually("another first row", async () => {
    const shown = await rows();
    return shown[0] !== before[0] && shown;
  });
  assert.ok(now.includes(before[0]!));
}

type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

describe("rows that come in while somebody reads", { timeout: 600_000 }, () => {
  for (const [path, act] of [
    ["charges", bePaid],
    ["statement", bePaid],
    ["withdrawals", withdraw],
    ["developers/webhooks", bePaid],
    ["developers/events", bePaid],
  ] as const) {
    test(`${path}: nothing moves under the pointer; pressed, the announcement shows them`, async () => {
      await open(path);
      const shown = await rows();
      await page.locator(ROW).nth(1).hover();
      await act();
      await fresh().waitFor();
      assert.deepEqual(await rows(), shown);
      await assertStill();
      await fresh().click();
      await fresh().waitFor({ state: "detached" });
      await comesIn(shown);
    });

    test(`${path}: the row that has the focus keeps its place and the focus, until a key shows the new ones`, async () => {
      await open(path);
      const shown = await rows();
      await page.keyboard.press("j");
      await page.keyboard.press("j");
      const place = await focusedRow();
      await act();
      await fresh().waitFor();
      assert.deepEqual(await rows(), shown);
      assert.equal(await focusedRow(), place);
      await assertStill();
      await page.keyboard.press(".");
      await fresh().waitFor({ state: "detached" });
      await comesIn(shown);
      // The keyboard goes on from the newest.
      assert.equal(await focusedRow(), 1);
    });

    test(`${path}: nothing moves for who has scrolled; back at the top the rows are there`, async () => {
      await open(path);
      const shown = await rows();
      await page.evaluate("scrollTo(0, 200)");
      const place = await firstRowTop();
      await act();
      await fresh().waitFor();
      assert.deepEqual(await rows(), shown);
      // What grows above, such as the health of an endpoint, is scrolled away by the browser: the rows stay where they are read.
      assert.equal(await firstRowTop(), place);
      await assertStill();
      await page.evaluate("scrollTo(0, 0)");
      await comesIn(shown);
      await fresh().waitFor({ state: "detached" });
    });

    test(`${path}: while nobody is at them they come in by themselves, and no element moves`, async () => {
      await open(path);
      const shown = await rows();
      await act();
      await comesIn(shown);
      assert.equal(await fresh().count(), 0);
      await assertStill();
    });
  }

  test("under a pointer that is on its way to a row none moves; what came meanwhile follows once it rests", async () => {
    await open("charges");
    const shown = await rows();
    await page.evaluate(MOVE_ON);
    await bePaid();
    await fresh().waitFor();
    assert.deepEqual(await rows(), shown);
    await assertStill();
    await page.evaluate("clearInterval(window.moving)");
    await comesIn(shown);
    await fresh().waitFor({ state: "detached" });
  });

  test("the announcement covers neither a column's heading nor what filters the list", async () => {
    for (const width of [1440, 1000, 800]) {
      // High enough that the row is in view: a page that scrolls to it has its heading behind the bar.
      await page.setViewportSize({ width, height: VIEWPORT.height + 300 });
      await open("charges");
      await page.locator(ROW).nth(1).hover();
      await bePaid();
      await fresh().waitFor();
      const { y, height } = (await fresh().boundingBox())!;
      for (const other of ["main h1", "main .tabs", "main .chips", "main .rows th"]) {
        const top = (await page.locator(other).first().boundingBox())!.y;
        assert.ok(y + height <= top, `${other} at ${top} is under the announcement, ${y} to ${y + height}`);
      }
    }
    await page.setViewportSize(VIEWPORT);
  });

  test("on a phone the announcement stands above the tabs, and the first row can be read", async () => {
    await page.setViewportSize({ width: 360, height: 780 });
    await settle();
    await goTo("charges");
    const row = page.locator("main .two-lines li");
    await row.nth(1).hover();
    await bePaid();
    await fresh().waitFor();
    const [said, first, tabs] = await Promise.all(
      [fresh(), row.first(), page.locator(".tabs-phone")].map(async (one) => (await one.boundingBox())!),
    );
    assert.ok(said!.y >= first!.y + first!.height, "it covers the first row");
    assert.ok(said!.y + said!.height <= tabs!.y, "it covers the tabs");
    assert.ok(said!.x >= 0 && said!.x + said!.width <= 360, "it is within the page");
    await fresh().click();
    await fresh().waitFor({ state: "detached" });
    await page.setViewportSize(VIEWPORT);
  });

  test("two lists of a screen announce their rows side by side, each under its name, and a press shows those of one", async () => {
    const open2 = async (reference: string): Promise<void> => {
      await callApi(page, "POST", "/v2/sub-accounts", { reference });
      const transfer = { subAccount: reference, amount: 1, externalReference: `para-${reference}` };
      await callApi(page, "POST", "/v2/transfers", transfer);
    };
    await open2("feira");
    await goTo("wallets");
    // Both lists: what the first reading of one already shows is not new.
    for (const name of [/^feira$/, "principal → feira"]) await page.getByRole("cell", { name }).first().waitFor();
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 780 });
      await page.evaluate(MOVE_ON);
      await open2(`loja-${width}`);
      // Neither is an event: a payment is what makes the screen read again.
      await bePaid();
      const said = ["Carteiras: 1 linha nova", "Transferências: 1 linha nova"].map((name) =>
        page.getByRole("button", { name }),
      );
      for (const one of said) await one.waitFor();
      const [first, second] = await Promise.all(said.map(async (one) => (await one.boundingBox())!));
      // The one that came first stands first.
      const isBefore = (a: Box, b: Box) => a.x + a.width <= b.x || a.y + a.height <= b.y;
      const isApart = isBefore(first!, second!) || isBefore(second!, first!);
      assert.ok(isApart, `${JSON.stringify(first)} and ${JSON.stringify(second)} cover each other`);
      for (const { x, width: own } of [first!, second!]) assert.ok(x >= 0 && x + own <= width, "within the page");
      await said[0]!.click();
      await said[0]!.waitFor({ state: "detached" });
      await said[1]!.click();
      await said[1]!.waitFor({ state: "detached" });
      await page.evaluate("clearInterval(window.moving)");
    }
    await page.setViewportSize(VIEWPORT);
  });

  test("a row that leaves the list under the pointer stays until the reader has gone, and the list says so", async () => {
    const { id } = await callApi<{ id: string }>(page, "POST", "/v2/pix", { amount: 1, description: "Pão" });
    await callApi(page, "POST", "/v2/pix", { amount: 2, description: "Pão" });
    await page.mouse.move(2, 2);
    await goTo("charges?state=pending");
    await page.locator(ROW).nth(1).waitFor();
    await page.locator(ROW).nth(1).hover();
    await callApi(page, "POST", `/v2/sandbox/pix/${id}/pay`, {});
    await page.getByRole("button", { name: "1 saiu da lista" }).waitFor();
    await eventuallyEqual(() => page.locator(ROW).count(), 2);
    await page.mouse.move(2, 2);
    await page.locator(ROW).nth(1).waitFor({ state: "detached" });
    assert.match(await page.locator(ROW).innerText(), /R\$\s2,00/);
  });

  test("a charge that somebody else has only made comes in by itself", async () => {
    await page.mouse.move(2, 2);
    await goTo("charges?state=pending");
    await page.locator(ROW).first().waitFor();
    assert.equal(await page.getByRole("cell", { name: "pedido-novo" }).count(), 0);
    const order = { amount: 3, description: "Pão", externalReference: "pedido-novo" };
    await callApi(page, "POST", "/v2/pix", order);
    await page.getByRole("cell", { name: "pedido-novo" }).waitFor();
    assert.deepEqual(opened.errors, []);
  });

  test("what the reader's own act brings is shown at once, wherever the pointer is", async () => {
    await goTo("projects");
    for (const name of ["Feira", "Loja"]) {
      await page.getByRole("button", { name: "Novo projeto" }).click();
      await page.getByRole("dialog").getByLabel(/^Nome/).fill(name);
      await page.getByRole("dialog").getByLabel(/^Nome/).press("Enter");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.mouse.move(700, 250);
      await page.getByRole("cell", { name }).waitFor();
    }
    assert.deepEqual(opened.errors, []);
  });
});
