/** Signing in and confirming at a company's provider, in a real browser that walks through the provider's own pages. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser as Chromium, Page } from "playwright-core";
import { launchBrowser } from "../../../console/test/launch-browser.ts";
import { sql } from "../../src/db/sql.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import { freePort } from "../harness/free-port.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { startProvider, type TestProvider } from "../harness/provider.ts";

let gateway: TestGateway;
let provider: TestProvider;
let browser: Chromium;
let page: Page;
let origin = "";

before(async () => {
  const port = await freePort();
  origin = `http://localhost:${port}`;
  provider = await startProvider(`${origin}/console/provider`);
  gateway = await startGateway({
    ...{ PIXGATE_PORT: String(port), PIXGATE_PUBLIC_URL: origin, PIXGATE_OIDC_ISSUER: provider.issuer },
    ...{ PIXGATE_OIDC_CLIENT_ID: "pixgate", PIXGATE_OIDC_CLIENT_SECRET: provider.clientSecret },
  });
  const admin = await new Browser(origin).use(firstLink(gateway));
  const people = `/console/api/accounts/${gateway.sandbox.accountId}/people`;
  const invited = { email: "vera@example.com", name: "Vera", role: "owner" };
  assert.equal((await admin.send("POST", people, invited)).status, 201);
  provider.accounts.set("vera", { email: "vera@example.com", email_verified: true });
  browser = await launchBrowser();
  const context = await browser.newContext({ locale: "pt-BR", viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(60_000);
  page = await context.newPage();
});
after(async () => {
  await browser?.close();
  await gateway?.stop();
  await provider?.stop();
});

/** The provider's page: name and password. */
async function signInThere(): Promise<void> {
  await page.locator("input[name=login]").fill("vera");
  await page.locator("input[name=password]").fill("x");
  await page.locator("button[type=submit]").click();
}

test("signs in whoever was invited, and confirms by signing in there anew", { timeout: 400_000 }, async () => {
  await page.goto(`${origin}/console/`);
  await page.getByRole("button", { name: `Entrar com ${new URL(provider.issuer).host}` }).click();
  await signInThere();
  await page.locator("input[name=prompt][value=consent]").waitFor({ state: "attached" });
  await page.locator("button[type=submit]").click();
  await page.getByRole("heading", { name: "Início" }).waitFor();
  assert.equal(page.url(), `${origin}/console/`, "the provider's answer has left the address");

  await gateway.owner.query(sql`update sessions set fresh_until = created_at`);
  await page.goto(`${origin}/console/settings`);
  const choose = async () => {
    await page.locator("input[name=password]").fill("um cavalo correto grampeia");
    await page.getByRole("button", { name: "Trocar senha" }).click();
  };
  await choose();
  await page.getByRole("button", { name: "Confirmar no provedor da empresa" }).click();
  await signInThere();
  await page.getByRole("heading", { name: "Ajustes" }).waitFor();
  await choose();
  await page.getByText("Senha trocada.").waitFor();
});
