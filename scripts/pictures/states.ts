/** What screens show before anything has happened in an account, while they read, and where they could not. */
import type { Page } from "playwright-core";
import { inFew, type Staged } from "./staged.ts";

/** Screens of the sandbox before it is filled. */
export const EMPTY_SCREENS: readonly Staged[] = [
  ...["", "charges", "qr-codes", "transactions", "statement", "statement/closing", "withdrawals", "refunds", "blocks"],
  ...["wallets", "payment-links", "projects", "developers/webhooks", "developers/events", "team"],
  ...["operator", "operator/cases", "operator/disputes", "operator/treasury"],
].map((path) => inFew(`empty-${path.replaceAll("/", "-") || "home"}`, path));

const READS = /\/(v2|operator\/v1|console\/api\/round)\b/;
const FAILED = {
  message: "Something went wrong.",
  details: { code: "INTERNAL_ERROR" },
  traceId: "0f8fad5bd9cb469fa16570867728950e",
};

/** Each read is answered with an error, also those that are sent together. */
const failReads = (page: Page) => page.route(READS, (route) => route.fulfill({ status: 500, json: FAILED }));
const holdReads = (page: Page) => page.route(READS, () => new Promise<void>(() => {}));

async function loseGateway(page: Page): Promise<void> {
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  await page.context().setOffline(true);
  // Read for the first time.
  await page.locator("nav.tabs a").last().click();
  await page.locator("main.content.old").waitFor();
}

export const STATES: readonly Staged[] = [
  inFew("state-away", "charges", { reach: loseGateway }),
  ...["", "charges", "statement", "operator"].flatMap((path) => [
    inFew(`state-failed-${path || "home"}`, path, { before: failReads }),
    inFew(`state-loading-${path || "home"}`, path, { before: holdReads, isLoading: true }),
  ]),
];
