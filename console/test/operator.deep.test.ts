/** The operator's main tasks, clicked in a real browser; then every screen of theirs against the rules of axe. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { type OpenConsole, openConsole } from "./open-console.ts";

const SCREENS = [
  ...["", "/cases", "/payouts", "/withdrawals", "/accounts", "/institutions", "/reconciliation", "/treasury", "/close"],
  ...["/books", "/people", "/tokens", "/audit-log"],
];

let opened: OpenConsole;
let page: Page;
before(async () => {
  opened = await openConsole();
  page = opened.page;
});
after(() => opened?.close());

const open = async (path: string): Promise<void> => {
  await page.goto(new URL(`/console/operator${path}`, page.url()).href);
  await page.getByRole("heading", { level: 1 }).waitFor();
};
const field = (label: RegExp | string) => page.getByRole("dialog").getByLabel(label);

describe("an operator", { timeout: 300_000 }, () => {
  test("opens an account, and finds it on its page", async () => {
    await open("/accounts");
    await page.getByRole("button", { name: "Abrir conta" }).first().click();
    await field(/^Nome/).fill("Padaria Boa Vista");
    await field(/^CPF ou CNPJ/).fill("11.222.333/0001-81");
    await page.getByRole("button", { name: "Abrir a conta" }).click();
    await page.getByRole("heading", { name: "Padaria Boa Vista" }).waitFor();
    await open("/accounts");
    await page.getByRole("link", { name: "Padaria Boa Vista" }).first().waitFor();
  });

  test("stops all payouts with a reason, and lets them go on", async () => {
    await open("/payouts");
    await page.getByText("Nenhum freio puxado.").waitFor();
    await page.getByRole("button", { name: "Parar saques" }).click();
    await field(/^Motivo/).fill("o banco paga em dobro");
    await page.getByRole("button", { name: /^Parar já/ }).click();
    await page.getByText("1 freio puxado.").waitFor();
    await page.getByText("o banco paga em dobro").waitFor();
    await page.getByRole("button", { name: "Soltar", exact: true }).click();
    await field(/^Motivo/).fill("o banco confirmou que não");
    await page.getByRole("button", { name: /^Soltar: / }).click();
    await page.getByText("Nenhum freio puxado.").waitFor();
    await page.getByText("o banco confirmou que não").waitFor();
  });

  test("records a movement of the own money", async () => {
    await open("/treasury");
    await page.getByRole("button", { name: "Lançar movimento" }).first().click();
    await field(/^Valor/).fill("1.500,00");
    await field(/^Quando/).fill("2026-01-15T10:30");
    await page.getByRole("button", { name: /^Lançar .*R\$\s*1\.500,00$/ }).click();
    await page.getByRole("cell", { name: /R\$\s*1\.500,00/ }).waitFor();
    await page.getByRole("cell", { name: "Nos livros" }).waitFor();
  });

  test("makes a token for a machine, which is shown once, and ends it", async () => {
    await open("/tokens");
    await page.getByRole("button", { name: "Novo token" }).first().click();
    await field(/^Nome/).fill("fechamento");
    await field("De quem").selectOption("machine");
    await field("Papel").selectOption("auditor");
    await field(/^Por quantos dias/).fill("30");
    await page.getByRole("button", { name: "Criar token" }).click();
    await page.getByText(/^pgo_/).waitFor();
    await page.getByRole("button", { name: "Guardei" }).click();
    await page.getByRole("button", { name: "fechamento" }).first().click();
    await page.getByRole("button", { name: "Encerrar fechamento" }).click();
    await page.getByRole("cell", { name: "Encerrado" }).waitFor();
  });

  test("has the books checked", async () => {
    await open("/books");
    await page.getByRole("button", { name: "Conferir agora" }).click();
    await page.getByText(/^Os livros conferem/).waitFor();
  });

  test("reads in the audit log what was done to one account", async () => {
    await open("/audit-log");
    await page.getByText("account.create").first().waitFor();
    await page.getByText("brake.set").first().waitFor();
    await page.getByRole("button", { name: /Conta/ }).first().click();
    await page.getByRole("menuitem", { name: "Padaria Boa Vista" }).click();
    await page.waitForURL(/account=/);
    await page.getByText("brake.set").waitFor({ state: "detached" });
    await page.getByText("account.create").first().waitFor();
  });

  test("opens a day of the reconciliation and of the close", async () => {
    await open("/reconciliation");
    await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
    await open("/close");
    await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
    assert.deepEqual(opened.errors, []);
  });
});

describe("the operator's screens", { timeout: 600_000 }, () => {
  // Both themes, languages and widths, in two passes: the browser is one process, and does not live for ever.
  for (const [locale, colorScheme, width] of [
    ["pt-BR", "light", 1440],
    ["en-US", "dark", 360],
  ] as const) {
    test(`have no finding of axe and fit, ${locale} ${colorScheme} ${width}`, async () => {
      const state = await page.context().storageState();
      const viewport = { width, height: 900 };
      const browser = page.context().browser()!;
      const context = await browser.newContext({ storageState: state, locale, colorScheme, viewport });
      const one = await context.newPage();
      for (const path of SCREENS) {
        await one.goto(new URL(`/console/operator${path}`, page.url()).href);
        await one.getByRole("heading", { level: 1 }).waitFor();
        await one.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
        const { violations } = await new AxeBuilder({ page: one }).analyze();
        assert.deepEqual(
          violations.map(({ id, nodes }) => [id, nodes[0]?.html]),
          [],
          path,
        );
        const isWide = await one.evaluate<boolean>("document.documentElement.scrollWidth > window.innerWidth");
        assert.equal(isWide, false, `${path} scrolls sideways`);
      }
    });
  }
});
