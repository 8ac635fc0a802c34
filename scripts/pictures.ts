/**
 * Takes the pictures of docs/console.md from its own sandbox:
 *
 *     node scripts/pictures.ts
 *
 * With a folder it takes pictures of every screen instead, for a review: light and dark in both languages, in half a window,
 * and the full page on the narrowest phone. Screens of which the name has one of further words, only these:
 *
 *     node scripts/pictures.ts --all /tmp/screens
 *     node scripts/pictures.ts --all /tmp/screens sign-in cases
 */

import "./help.ts";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BrowserContext, Page } from "playwright-core";
import { callApi } from "../console/test/call-api.ts";
import { type Filled, fillAccount, fillInstallation } from "../console/test/fill.ts";
import { freePort } from "../console/test/free-port.ts";
import { type OpenConsole, openConsole } from "../console/test/open-console.ts";
import { breakBooks } from "./pictures/break-books.ts";
import { openClosedMonth } from "./pictures/closed-month.ts";
import { DARK, LIGHT, LOOKS, type Look, NARROW, PHONE } from "./pictures/looks.ts";
import { outsideScreens } from "./pictures/outside.ts";
import { panels } from "./pictures/panels.ts";
import { payersScreens } from "./pictures/payers.ts";
import { startReceiver } from "./pictures/receiver.ts";
import type { Staged } from "./pictures/staged.ts";
import { EMPTY_SCREENS, STATES } from "./pictures/states.ts";

const FOLDER = fileURLToPath(new URL("../docs/pictures/", import.meta.url));
/** As many looks are taken at the same time: while one page reads, another is drawn. */
const AT_ONCE = 2;

type Picture = Look & {
  readonly name: string;
  readonly path: string;
  readonly folder: string;
  readonly staged?: Staged;
  /** Seconds that the gateway's clock is ahead of the machine's. */
  readonly ahead?: number;
};

/** Every screen by its path; in braces the id of an object with which the sandbox was filled. */
const SCREENS = [
  ...["", "charges", "charges/{charge}", "transactions", "statement", "withdrawals", "blocks", "wallets", "projects"],
  ...["developers/credentials", "developers/webhooks", "developers/events", "developers/requests", "team", "settings"],
  ...["statement/closing", "qr-codes", "payment-links", "refunds", "payer-page"],
  ...["operator", "operator/accounts", "operator/institutions", "operator/cases", "operator/reconciliation"],
  ...["operator/treasury", "operator/close", "operator/payouts", "operator/withdrawals", "operator/people"],
  ...["operator/disputes"],
  ...["operator/tokens", "operator/audit-log", "operator/books", "operator/cases?open={case}"],
  ...["blocks/{block}", "withdrawals/file"],
  ...["operator/accounts/{account}", "operator/accounts/{own}/ledger", "operator/institutions?open={institution}"],
];
/** Screens that a broken rule of the books changes: they are taken last. */
const OF_BROKEN_BOOKS = /^operator\/(books|cases$)/;

const ofPage = (charge: string): readonly Picture[] =>
  (
    [
      ["home", "", LIGHT],
      ["home-phone", "", { ...LIGHT, colorScheme: "dark", viewport: PHONE }],
      ["charge", `charges/${charge}`, LIGHT],
      ["statement", "statement", DARK],
      ["overview", "operator", { ...LIGHT, locale: "en-US" }],
      ["treasury", "operator/treasury", LIGHT],
      ["books", "operator/books", { ...LIGHT, locale: "en-US" }],
    ] as const
  ).map(([name, path, look]) => ({ name, path, folder: FOLDER, ...look }));

type Ids = Filled & { readonly own: string; readonly block: string };
type Session = { readonly accounts: readonly { readonly accountId: string }[] };
type Blocks = { readonly items: readonly { readonly id: string }[] };

/** A screen in these looks. */
const inLooks = (of: string, more: Omit<Picture, "name" | keyof Look>, looks = LOOKS): readonly Picture[] =>
  looks.map((look) => {
    const { colorScheme, locale, viewport } = look;
    return { name: `${of}-${colorScheme}-${locale.slice(0, 2)}-${viewport.width}`, ...more, ...look };
  });

const ofStaged = (screens: readonly Staged[], folder: string): readonly Picture[] =>
  screens.flatMap((staged) => inLooks(staged.name, { path: staged.path, folder, staged }, staged.looks));

const ofScreens = (ids: Ids, folder: string): readonly Picture[] =>
  SCREENS.flatMap((screen) => {
    const of = screen.replace(/[/?=]/g, "-").replace(/[{}]/g, "") || "home";
    return inLooks(of, { path: screen.replace(/\{(\w+)\}/, (_, of: keyof Ids) => ids[of]), folder });
  });

const ofClosedMonth = (day: string, folder: string, ahead: number): readonly Picture[] =>
  Object.entries({
    "operator-close-closed-day": `operator/close?day=${day}`,
    "operator-close-closed-month": `operator/close?month=${day.slice(0, 7)}`,
    "operator-reconciliation-closed": `operator/reconciliation?day=${day}`,
    "statement-closing-closed": `statement/closing?month=${day.slice(0, 7)}`,
  }).flatMap(([of, path]) => inLooks(of, { path, folder, ahead }));

const contexts = new Map<string, Promise<BrowserContext>>();

const keyOf = ({ colorScheme, viewport, locale }: Look) => JSON.stringify([colorScheme, viewport, locale]);

/** A page in a context for this look. The contexts stay open, because the browser's process ends with any of them. */
async function pageOf(from: Page, look: Look): Promise<Page> {
  const key = keyOf(look);
  const storageState = await from.context().storageState();
  const { colorScheme, viewport, locale } = look;
  const made =
    contexts.get(key) ?? from.context().browser()!.newContext({ storageState, colorScheme, viewport, locale });
  contexts.set(key, made);
  const context = await made;
  context.setDefaultTimeout(60_000);
  return context.newPage();
}

/** Opens what the picture shows. */
async function open(page: Page, from: Page, { path, staged, ahead }: Picture): Promise<void> {
  await staged?.before?.(page);
  if (ahead !== undefined) await page.clock.setSystemTime(Date.now() + ahead * 1_000);
  await page.goto(new URL(path, new URL("/console/", from.url())).href);
  const reads = page.locator("[aria-busy=true]").first();
  await page.getByRole("heading", { level: 1 }).waitFor();
  if (staged?.isLoading) return page.locator(".bone:not(.unseen)").first().waitFor();
  await staged?.reach?.(page);
  await reads.waitFor({ state: "detached" });
}

async function take(from: Page, picture: Picture): Promise<void> {
  const { name, folder, staged, viewport } = picture;
  const page = await pageOf(from, picture);
  try {
    await open(page, from, picture);
    await page.evaluate("document.fonts.ready.then(() => null)");
    const fullPage = viewport === NARROW && staged?.isOver !== true;
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage, animations: "disabled" });
  } finally {
    // A page's event stream occupies one of the six connections that a browser opens to a server.
    await page.close();
    await page.context().setOffline(false);
  }
}

/** Takes them look by look, some looks at the same time. One that cannot be taken is reported, and the rest are. */
async function takeEach(from: Page, pictures: readonly Picture[]): Promise<void> {
  for (const { folder } of pictures) mkdirSync(folder, { recursive: true });
  const queue = [...Map.groupBy(pictures, keyOf).values()];
  const takeLooks = async (): Promise<void> => {
    for (let look = queue.shift(); look !== undefined; look = queue.shift()) {
      for (const picture of look) {
        await take(from, picture).catch((error: unknown) => {
          console.error(`${picture.name} was not taken:`, error);
          process.exitCode = 1;
        });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeLooks));
}

async function takeAll({ page }: OpenConsole, dataDir: string): Promise<void> {
  const [flag, to, ...words] = process.argv.slice(2);
  const folder = flag === "--all" ? to : undefined;
  if (folder === undefined) {
    const charge = await fillAccount(page);
    await fillInstallation(page);
    return takeUntilBroken(page, ofPage(charge), dataDir);
  }
  const staged = (screens: readonly Staged[]) => ofStaged(screens, folder).filter(isWanted(words));
  await takeEach(page, staged(EMPTY_SCREENS));
  const receiver = await startReceiver();
  try {
    await callApi(page, "POST", "/v2/webhook-endpoints", { url: receiver.url });
    const charge = await fillAccount(page);
    const { accounts } = await callApi<Session>(page, "GET", "/console/api/session");
    const { items } = await callApi<Blocks>(page, "GET", "/v2/balance-blocks");
    const known = { charge, own: accounts[0]!.accountId, block: items[0]!.id };
    const ids = { ...known, ...(await fillInstallation(page)) };
    const payers = await payersScreens(page);
    const more = [...payers, ...(await panels(page)), ...STATES, ...(await outsideScreens(page, ids))];
    await takeUntilBroken(page, [...ofScreens(ids, folder).filter(isWanted(words)), ...staged(more)], dataDir);
  } finally {
    receiver.close();
  }
}

async function takeUntilBroken(page: Page, pictures: readonly Picture[], dataDir: string): Promise<void> {
  const isLast = ({ path }: Picture) => OF_BROKEN_BOOKS.test(path);
  await takeEach(
    page,
    pictures.filter((one) => !isLast(one)),
  );
  if (!pictures.some(isLast)) return;
  await breakBooks(page, dataDir);
  await takeEach(page, pictures.filter(isLast));
}

const isWanted =
  (words: readonly string[]) =>
  ({ name }: Picture): boolean =>
    words.length === 0 || words.some((word) => name.includes(word));

async function takeClosed(dataDir: string): Promise<void> {
  const [flag, to, ...words] = process.argv.slice(2);
  if (flag !== "--all" || to === undefined) return;
  if (!ofClosedMonth("", to, 0).some(isWanted(words))) return;
  const { opened, ahead, day } = await openClosedMonth(dataDir);
  // The ones of the sandbox before have another host's session, and another time.
  contexts.clear();
  try {
    await takeEach(opened.page, ofClosedMonth(day, to, ahead).filter(isWanted(words)));
  } finally {
    await opened.close();
  }
}

const dataDir = mkdtempSync(join(tmpdir(), "pixgate-pictures-"));
try {
  const opened = await openConsole({
    PIXGATE_DATA_DIR: dataDir,
    // The port is chosen before the start, so that charges and links have the addresses of their pages.
    PIXGATE_PORT: String(await freePort()),
    PIXGATE_TWO_PERSONS: "on",
    PIXGATE_TWO_PERSONS_ABOVE: "off",
  });
  await takeAll(opened, dataDir).finally(() => opened.close());
  await takeClosed(join(dataDir, "closed"));
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
