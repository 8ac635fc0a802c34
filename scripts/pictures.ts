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
import { type OpenConsole, openConsole } from "../console/test/open-console.ts";
import { breakBooks } from "./pictures/break-books.ts";
import { openClosedMonth } from "./pictures/closed-month.ts";
import { type OutsideScreen, outsideScreens, tell } from "./pictures/outside.ts";

const FOLDER = fileURLToPath(new URL("../docs/pictures/", import.meta.url));
const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

type Look = {
  readonly colorScheme: "light" | "dark";
  readonly viewport: { readonly width: number; readonly height: number };
  readonly locale: "pt-BR" | "en-US";
};
type Picture = Look & {
  readonly name: string;
  readonly path: string;
  readonly folder: string;
  /** The screen, where another reader sees it than who is signed in. */
  readonly outside?: OutsideScreen;
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
  ...["operator/accounts/{account}", "operator/accounts/{own}/ledger", "operator/institutions?open={institution}"],
];
/** Screens that a broken rule of the books changes: they are taken last. */
const OF_BROKEN_BOOKS = /^operator\/(books|cases$)/;

const LIGHT = { colorScheme: "light", viewport: WIDE, locale: "pt-BR" } as const;
const DARK = { colorScheme: "dark", viewport: WIDE, locale: "en-US" } as const;
const NARROW = { width: 360, height: 800 };
const LOOKS: readonly Look[] = [
  LIGHT,
  { ...LIGHT, locale: "en-US" },
  { ...DARK, locale: "pt-BR" },
  DARK,
  { ...LIGHT, viewport: { width: 960, height: 900 } },
  { ...LIGHT, viewport: NARROW },
  { ...DARK, viewport: NARROW },
];

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

type Ids = Filled & { readonly own: string };
type Session = { readonly accounts: readonly { readonly accountId: string }[] };

/** A screen in every look. */
const inLooks = (of: string, more: Omit<Picture, "name" | keyof Look>): readonly Picture[] =>
  LOOKS.map((look) => {
    const { colorScheme, locale, viewport } = look;
    return { name: `${of}-${colorScheme}-${locale.slice(0, 2)}-${viewport.width}`, ...more, ...look };
  });

const ofAll = (ids: Ids, folder: string, outside: readonly OutsideScreen[]): readonly Picture[] => [
  ...SCREENS.flatMap((screen) => {
    const of = screen.replace(/[/?=]/g, "-").replace(/[{}]/g, "") || "home";
    return inLooks(of, { path: screen.replace(/\{(\w+)\}/, (_, of: keyof Ids) => ids[of]), folder });
  }),
  ...outside.flatMap((one) => inLooks(one.name, { path: one.path, folder, outside: one })),
];

const ofClosedMonth = (day: string, folder: string, ahead: number): readonly Picture[] =>
  Object.entries({
    "operator-close-closed-day": `operator/close?day=${day}`,
    "operator-close-closed-month": `operator/close?month=${day.slice(0, 7)}`,
    "operator-reconciliation-closed": `operator/reconciliation?day=${day}`,
    "statement-closing-closed": `statement/closing?month=${day.slice(0, 7)}`,
  }).flatMap(([of, path]) => inLooks(of, { path, folder, ahead }));

const contexts = new Map<string, Promise<BrowserContext>>();

/** A page in a context for this look. The contexts stay open, because the browser's process ends with any of them. */
async function pageOf(from: Page, look: Look): Promise<Page> {
  const key = JSON.stringify([look.colorScheme, look.viewport, look.locale]);
  const storageState = await from.context().storageState();
  const { colorScheme, viewport, locale } = look;
  const made =
    contexts.get(key) ?? from.context().browser()!.newContext({ storageState, colorScheme, viewport, locale });
  contexts.set(key, made);
  const context = await made;
  context.setDefaultTimeout(120_000);
  return context.newPage();
}

async function take(from: Page, { name, path, folder, outside, ahead, ...look }: Picture): Promise<void> {
  const page = await pageOf(from, look);
  if (outside) await tell(page, outside.told);
  if (ahead !== undefined) await page.clock.setSystemTime(Date.now() + ahead * 1_000);
  await page.goto(new URL(`/console/${path}`, from.url()).href);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await outside?.reach?.(page);
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  await page.evaluate("document.fonts.ready");
  await page.screenshot({
    path: join(folder, `${name}.png`),
    fullPage: look.viewport === NARROW,
    animations: "disabled",
  });
  // A page's event stream occupies one of the six connections that a browser opens to a server.
  await page.close();
}

async function takeAll({ page }: OpenConsole, dataDir: string): Promise<void> {
  const [flag, to, ...words] = process.argv.slice(2);
  const charge = await fillAccount(page);
  const { accounts } = await callApi<Session>(page, "GET", "/console/api/session");
  const ids = { charge, own: accounts[0]!.accountId, ...(await fillInstallation(page)) };
  const isAll = flag === "--all" && to !== undefined;
  const all = isAll ? ofAll(ids, to, await outsideScreens(page, ids)) : ofPage(ids.charge);
  const pictures = all.filter(isWanted(words));
  const isLast = ({ path }: Picture) => OF_BROKEN_BOOKS.test(path);
  for (const { folder } of pictures) mkdirSync(folder, { recursive: true });
  for (const picture of pictures.filter((one) => !isLast(one))) await take(page, picture);
  if (!pictures.some(isLast)) return;
  await breakBooks(page, dataDir);
  for (const picture of pictures.filter(isLast)) await take(page, picture);
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
    for (const picture of ofClosedMonth(day, to, ahead).filter(isWanted(words))) await take(opened.page, picture);
  } finally {
    await opened.close();
  }
}

const dataDir = mkdtempSync(join(tmpdir(), "pixgate-pictures-"));
try {
  const opened = await openConsole({
    PIXGATE_DATA_DIR: dataDir,
    PIXGATE_TWO_PERSONS: "on",
    PIXGATE_TWO_PERSONS_ABOVE: "off",
  });
  await takeAll(opened, dataDir).finally(() => opened.close());
  await takeClosed(join(dataDir, "closed"));
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
