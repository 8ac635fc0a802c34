/** Passkeys in a real browser, with the authenticator that its developer tools play: made, signed in by, confirmed by, removed. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser as Chromium, Page } from "playwright-core";
import { brokenRules, launchBrowser } from "../../../console/test/launch-browser.ts";
import { sql } from "../../src/db/sql.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

let gateway: TestGateway;
let browser: Chromium;
let page: Page;
let origin = "";
let invitation = "";
const errors: string[] = [];

/**
 * No finding of axe in either theme, on a desk and on a phone. A dialog has a header of its own, and hides the page's, which axe
 * does not know: `OF_DIALOG` are its rules about that.
 */
const OF_DIALOG = ["landmark-no-duplicate-banner", "landmark-unique"];
async function looksRight(name: string, without: readonly string[] = []): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [360, 1440]) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: "attached" });
      await page.setViewportSize({ width, height: 900 });
      assert.deepEqual(await brokenRules(page, without), [], `${name} in ${colorScheme}, ${width} wide`);
      const wide = await page.evaluate<boolean>("document.documentElement.scrollWidth > window.innerWidth");
      assert.equal(wide, false, `${name} scrolls sideways, ${width} wide`);
      const folder = process.env.PIXGATE_PICTURES;
      if (folder) await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`) });
    }
  }
}
async function signOut(): Promise<void> {
  await page.getByRole("button", { name: "Vera", exact: true }).click();
  await page.getByRole("menuitem", { name: "Sair" }).click();
  await page.getByRole("heading", { name: "Entrar no Pixgate" }).waitFor();
}
const click = (name: string) => page.getByRole("button", { name, exact: true }).click();

before(async () => {
  gateway = await startGateway();
  origin = gateway.running.url.replace("127.0.0.1", "localhost");
  const admin = await new Browser(origin).use(firstLink(gateway));
  const people = `/console/api/accounts/${gateway.sandbox.accountId}/people`;
  const made = await admin.send<{ link: string }>("POST", people, {
    ...{ email: "vera@example.com", name: "Vera", role: "owner" },
  });
  invitation = made.body.link;
  browser = await launchBrowser();
  const viewport = { width: 1440, height: 900 };
  // What fades or slides in has other colours meanwhile.
  const context = await browser.newContext({ locale: "pt-BR", viewport, reducedMotion: "reduce" });
  context.setDefaultTimeout(60_000);
  page = await context.newPage();
  page.on("pageerror", (error) => errors.push(error.message));
  const tools = await context.newCDPSession(page);
  await tools.send("WebAuthn.enable");
  const options = { hasResidentKey: true, hasUserVerification: true, isUserVerified: true };
  await tools.send("WebAuthn.addVirtualAuthenticator", {
    options: { protocol: "ctap2", transport: "internal", automaticPresenceSimulation: true, ...options },
  });
});
after(async () => {
  await browser?.close();
  await gateway?.stop();
});

test("is made in the settings, and signs in and confirms without a password", { timeout: 400_000 }, async () => {
  await page.goto(invitation);
  await click("Aceitar o convite");
  await page.getByRole("heading", { name: "Início" }).waitFor();
  await page.goto(`${origin}/console/settings`);
  await page.getByText("Você ainda não tem chave de acesso").waitFor();
  await click("Adicionar chave de acesso");
  await page.getByRole("textbox", { name: "Nome da chave" }).fill("Notebook da Vera");
  await looksRight("passkey-add", OF_DIALOG);
  await click("Criar chave de acesso");
  await page.getByRole("cell", { name: "Notebook da Vera", exact: true }).waitFor();
  await page.getByRole("cell", { name: "Ainda não usada" }).waitFor();
  await looksRight("passkeys");

  await click("Adicionar chave de acesso");
  await click("Criar chave de acesso");
  await page.getByText("Este aparelho já tem uma chave de acesso sua.").waitFor();
  await page.keyboard.press("Escape");

  await signOut();
  await looksRight("sign-in");
  const first = page.locator("main button").first();
  assert.equal(await first.innerText(), "Entrar com chave de acesso");
  assert.deepEqual(
    await page.locator('main button[data-variant="filled"]').allInnerTexts(),
    ["Entrar com chave de acesso"],
    "one accent button",
  );
  await click("Entrar com chave de acesso");
  await page
    .getByRole("heading", { name: "Início" })
    .or(page.getByRole("heading", { name: "Ajustes" }))
    .waitFor();

  await gateway.owner.query(sql`update sessions set fresh_until = created_at`);
  await page.goto(`${origin}/console/settings`);
  await page.locator("input[name=password]").fill("um cavalo correto grampeia");
  await click("Trocar senha");
  await page.getByRole("dialog", { name: "Confirme que é você" }).getByText("Você pediu: Trocar senha").waitFor();
  await looksRight("passkey-confirm", OF_DIALOG);
  // Who does not confirm has it not done.
  await page.keyboard.press("Escape");
  await page.getByText("Para isto, confirme antes que é você.").waitFor();
  const chosen = () => gateway.owner.query(sql`select from people where password_hash is not null`);
  assert.equal((await chosen()).rows.length, 0);
  await click("Trocar senha");
  await click("Confirmar com chave de acesso");
  await page.getByRole("dialog", { name: "Confirme que é você" }).waitFor({ state: "detached" });
  // What was asked for is done without a second press.
  await page.getByText("Senha trocada.").waitFor();
});

test("is removed, and signs in no more", async () => {
  await click("Remover a chave de acesso Notebook da Vera");
  await page.getByText("Você ainda não tem chave de acesso").waitFor();
  await signOut();
  await click("Entrar com chave de acesso");
  await page.getByRole("alert").getByText("não conferem").waitFor();
  const { rows } = await gateway.owner.query(sql`select from passkeys where removed_at is null`);
  assert.equal(rows.length, 0);
});

test("is explained at an IP address, where browsers have none", async () => {
  await page.goto(`${gateway.running.url}/console/`);
  await click("Entrar com chave de acesso");
  await page.getByRole("alert").getByText("abra o console por localhost").waitFor();
  assert.deepEqual(errors, []);
});
