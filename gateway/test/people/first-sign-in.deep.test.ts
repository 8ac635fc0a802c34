/** The first person of a production installation, from the command line to the console, in a real browser. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { brokenRules, launchBrowser } from "../../../console/test/launch-browser.ts";
import { appCode } from "../harness/authenticator.ts";
import { freshDatabase } from "../harness/database.ts";
import { type GatewayProcess, startProcess } from "../harness/process.ts";

const BIN = fileURLToPath(new URL("../../bin/pixgate.mjs", import.meta.url));
const PASSWORD = "um cavalo correto grampeia";
const dataDir = mkdtempSync(join(tmpdir(), "pixgate-first-"));
let database: Awaited<ReturnType<typeof freshDatabase>>;
let gateway: GatewayProcess;
let browser: Browser;
let page: Page;
let env: Record<string, string>;

/** Runs a command of the machine, as the operator does. */
function pixgate(...args: string[]): string {
  const settings = { PATH: process.env.PATH, ...env, DATABASE_URL: database.url };
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], { env: settings, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout;
}
/** The printed link, at the address where this process answers without a proxy. */
const here = (printed: string): string =>
  `${gateway.url}/console/${/https:\/\/pix\.example\.com\/console\/(#link=[\w-]+)/.exec(printed)![1]}`;

/** No finding of axe in either theme, on a desk and on a phone. */
async function looksRight(name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [1440, 360]) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: "attached" });
      await page.setViewportSize({ width, height: 900 });
      assert.deepEqual(await brokenRules(page), [], `${name} in ${colorScheme}, ${width} wide`);
      const wide = await page.evaluate<boolean>("document.documentElement.scrollWidth > window.innerWidth");
      assert.equal(wide, false, `${name} scrolls sideways, ${width} wide`);
      const folder = process.env.PIXGATE_PICTURES;
      if (folder) await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`) });
    }
  }
}

before(async () => {
  database = await freshDatabase({ empty: true });
  env = {
    PIXGATE_ENV: "production",
    PIXGATE_SECRET_KEY: randomBytes(32).toString("base64"),
    PIXGATE_PUBLIC_URL: "https://pix.example.com",
    PIXGATE_DATA_DIR: dataDir,
    PIXGATE_SIMULATOR_PORT: "off",
    PIXGATE_RATE_LIMIT: "100",
    DATABASE_URL: database.gatewayUrl,
  };
  pixgate("migrate");
  gateway = await startProcess(env);
  browser = await launchBrowser();
  // What fades or slides in has other colours meanwhile.
  const context = await browser.newContext({ locale: "pt-BR", reducedMotion: "reduce" });
  context.setDefaultTimeout(60_000);
  page = await context.newPage();
});
after(async () => {
  await browser?.close();
  await gateway?.stop();
  await database.drop();
  rmSync(dataDir, { recursive: true });
});

test("comes in by the printed link, sets up password and authenticator, and invites others", {
  timeout: 600_000,
}, async () => {
  await page.goto(
    here(pixgate("people", "invite", "--on-this-machine", "--email", "ana@example.com", "--name", "Ana")),
  );
  await page.getByRole("heading", { name: "Convite para a operação" }).waitFor();
  await page.getByText("A linha de comando deste servidor convida ana@example.com.").waitFor();
  await page.getByText("Administração. Pode tudo em todas as contas").waitFor();
  await looksRight("invitation");
  await page.getByRole("button", { name: "Aceitar o convite" }).click();
  await page.getByRole("heading", { name: /1 de 2: escolha a senha$/ }).waitFor();
  await looksRight("enrol-password");
  await page.getByLabel("Nova senha", { exact: false }).fill(PASSWORD);
  await page.getByRole("button", { name: "Escolher senha" }).click();
  await page.getByRole("heading", { name: "2 de 2" }).waitFor();
  await looksRight("enrol-begin");
  await page.getByRole("button", { name: "Ligar um aplicativo" }).click();
  await page.getByAltText("QR do aplicativo autenticador").waitFor();
  await looksRight("enrol-authenticator");
  const secret = (await page.locator(".authenticator-secret").innerText()).replaceAll(/\s/g, "");
  await page.getByRole("textbox", { name: /^Código(?! de)/ }).fill("000000");
  await page.getByRole("button", { name: "Confirmar código" }).click();
  await page.getByText("E-mail, senha, código ou chave de acesso não conferem.").waitFor();
  await page.getByRole("textbox", { name: /^Código(?! de)/ }).fill(appCode(secret));
  await page.getByRole("button", { name: "Confirmar código" }).click();
  await page.getByText("Guarde estes códigos").waitFor();
  await looksRight("enrol-codes");
  const codes = (await page.locator("pre.code").innerText()).split("\n");
  assert.equal(codes.length, 10);
  await page.getByRole("button", { name: "Guardei" }).click();
  await page.waitForURL("**/console/operator");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole("link", { name: "Pessoas" }).click();
  await page.getByRole("cell", { name: "ana@example.com" }).waitFor();
  await looksRight("people");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole("button", { name: "Convidar" }).click();
  await page.getByRole("textbox", { name: /^E-mail/ }).fill("bob@example.com");
  await page.getByRole("button", { name: "Criar link de convite" }).click();
  await page.getByText("https://pix.example.com/console/#link=").waitFor();
  await page.getByRole("button", { name: "Guardei" }).click();
  await page.goto(`${gateway.url}/console/settings`);
  await page.getByText("Restam 10 códigos de recuperação").waitFor();
  await looksRight("settings");

  await signOut();
  await page.getByRole("textbox", { name: /^E-mail/ }).fill("ana@example.com");
  await page.locator("input[name=password]").fill(PASSWORD);
  await page.getByRole("button", { name: "Entrar com senha" }).click();
  await page.getByRole("textbox", { name: /^Código(?! de)/ }).waitFor();
  await looksRight("sign-in-code");
  await page.getByRole("textbox", { name: /^Código(?! de)/ }).fill(appCode(secret, 1));
  await page.getByRole("button", { name: "Entrar", exact: true }).click();
  await page.waitForURL("**/console/operator");

  await signOut();
  await page.getByRole("textbox", { name: /^E-mail/ }).fill("ana@example.com");
  await page.locator("input[name=password]").fill(PASSWORD);
  await page.getByRole("button", { name: "Entrar com senha" }).click();
  await page.getByRole("button", { name: "usar um código de recuperação" }).click();
  await page.getByRole("textbox", { name: /^Código de recuperação/ }).fill(codes[0]!);
  await page.getByRole("button", { name: "Entrar", exact: true }).click();
  await page.waitForURL("**/console/operator");
});

test("who lost the phone comes back by a link of the machine, and sets up both anew", async () => {
  await page.goto("about:blank");
  await page.goto(here(pixgate("people", "recover", "--on-this-machine", "--email", "ana@example.com")));
  await page.getByRole("heading", { name: "Recuperar o acesso" }).waitFor();
  await looksRight("recovery");
  await page.getByRole("button", { name: "Entrar e apagar os acessos de antes" }).click();
  await page.getByRole("heading", { name: /1 de 2: escolha a senha$/ }).waitFor();
});

async function signOut(): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole("button", { name: "Ana" }).click();
  await page.getByRole("menuitem", { name: "Sair" }).click();
  await page.getByRole("heading", { name: "Entrar no Pixgate" }).waitFor();
}
