import type { Page } from "playwright-core";
import { STEP_TIMEOUT } from "./open-console.ts";

/** Invites a person by clicks, and opens the link as that person in a browser context of its own. */
export async function invitePerson(page: Page, email: string, name: string, role = "finance"): Promise<Page> {
  const dialog = page.getByRole("dialog");
  await page.goto(new URL("/console/operator/people", page.url()).href);
  await page.getByRole("button", { name: "Convidar" }).click();
  await dialog.getByLabel(/^E-mail/).fill(email);
  await dialog.getByLabel(/^Nome/).fill(name);
  await dialog.getByLabel("Papel").selectOption(role);
  await page.getByRole("button", { name: "Criar link de convite" }).click();
  const link = await page.getByText(/#link=/).innerText();
  await page.getByRole("button", { name: "Guardei" }).click();
  const context = await page.context().browser()!.newContext({ locale: "pt-BR" });
  context.setDefaultTimeout(STEP_TIMEOUT);
  const second = await context.newPage();
  await second.goto(new URL(new URL(link).hash, new URL("/console/", page.url())).href);
  // The browser is one process, whose contexts share their cookies: the console asks before it signs the first person out.
  await second.getByRole("button", { name: `Sair e continuar como ${email}` }).click();
  await second.getByRole("navigation").first().waitFor();
  // The browser is one process, which ends with any of its contexts: this one stays open.
  return second;
}
