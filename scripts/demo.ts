/**
 * Records the tour that README.md and README.pt-BR.md show, from its own sandbox: a charge on the payer's page is paid,
 * and the merchant and the operator see it. `node scripts/demo.ts` writes `docs/demo/tour.png` and `tour.pt-BR.png`,
 * animated.
 */

import "./help.ts";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { fillAccount, fillInstallation } from "../console/test/fill.ts";
import { openConsole } from "../console/test/open-console.ts";
import { freePort } from "../gateway/test/harness/free-port.ts";
import { animate, type Frame } from "./demo/animate.ts";

const FOLDER = fileURLToPath(new URL("../docs/demo/", import.meta.url));
const VIEWPORT = { width: 1120, height: 700 };
/** How long each screen is shown, milliseconds. */
const STAYS = 2_200;
const LANGUAGES = [
  { locale: "en-US", file: "tour.png", description: "Bread workshop, Saturday" },
  { locale: "pt-BR", file: "tour.pt-BR.png", description: "Oficina de pães, sábado" },
] as const;
/** After the payer's page: what the merchant sees, then what the operator sees. */
const SCREENS = ["", "charges/{charge}", "transactions", "statement", "developers/events"];
const OF_OPERATOR = ["operator", "operator/treasury", "operator/books"];

type Sandbox = { readonly baseUrl: string; readonly clientId: string; readonly clientSecret: string };

const dataDir = mkdtempSync(join(tmpdir(), "pixgate-demo-"));
try {
  const opened = await openConsole({
    PIXGATE_DATA_DIR: dataDir,
    // The port is chosen before the start, so that charges have the address of their page.
    PIXGATE_PORT: String(await freePort()),
    PIXGATE_TWO_PERSONS: "on",
    PIXGATE_TWO_PERSONS_ABOVE: "off",
  });
  await record(opened.page).finally(() => opened.close());
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}

async function record(from: Page): Promise<void> {
  await fillAccount(from);
  await fillInstallation(from);
  const call = await merchant();
  const storageState = await from.context().storageState();
  mkdirSync(FOLDER, { recursive: true });
  for (const { locale, file, description } of LANGUAGES) {
    const context = await from.context().browser()!.newContext({ storageState, locale, viewport: VIEWPORT });
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    const frames: Frame[] = [];
    const take = async () => frames.push({ png: await page.screenshot(), milliseconds: STAYS });
    const { id, checkoutUrl } = await call("/pix", { amount: 180, description });
    await page.goto(checkoutUrl!);
    await page.evaluate("document.fonts.ready");
    await take();
    await call(`/sandbox/pix/${id}/pay`, {});
    await page.locator("main[data-last]").waitFor();
    await take();
    for (const screen of [...SCREENS, ...OF_OPERATOR]) {
      await page.goto(new URL(`/console/${screen.replace("{charge}", id!)}`, from.url()).href);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
      await page.evaluate("document.fonts.ready");
      await take();
    }
    writeFileSync(join(FOLDER, file), animate(frames));
    await page.close();
  }
}

/** A client of the sandbox's merchant. */
async function merchant(): Promise<(path: string, body: object) => Promise<{ id?: string; checkoutUrl?: string }>> {
  const { baseUrl, clientId, clientSecret }: Sandbox = JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8"));
  const send = async (path: string, body: object, headers: object = {}) => {
    const answer = await fetch(`${baseUrl}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as Record<string, string>;
  };
  const { access_token: token } = await send("/auth", { client_id: clientId, client_secret: clientSecret });
  return (path, body) => send(path, body, { authorization: `Bearer ${token}` });
}
