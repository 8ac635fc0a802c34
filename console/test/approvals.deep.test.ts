/** A withdrawal that awaits approval, as who asked for it, who may approve it and who may not see it, in a real browser. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { callApi } from "./call-api.ts";
import { eventuallyEqual, eventuallyReads } from "./eventually.ts";
import { type OpenConsole, openConsole, SETUP } from "./open-console.ts";

type Withdrawal = { id: string; status: string; requestedBy?: string };
type Session = { permissions: Record<string, string[]>; accounts: [{ accountId: string }] };

const ANOTHER = "0190a1b2-0000-7000-8000-000000000001";
const ANSWERS = /\/v2\/withdrawals(\/|\?)/;

let opened: OpenConsole;
let page: Page;
let id = "";
before(async () => {
  opened = await openConsole();
  page = opened.page;
  const { accounts } = await callApi<Session>(page, "GET", "/console/api/session");
  await callApi(page, "PATCH", `/operator/v1/accounts/${accounts[0].accountId}`, { payouts: { approvalAbove: 1 } });
  const charge = await callApi<{ id: string }>(page, "POST", "/v2/pix", { amount: 50, description: "Cesta" });
  await callApi(page, "POST", `/v2/sandbox/pix/${charge.id}/pay`, {});
  ({ id } = await callApi<Withdrawal>(page, "POST", "/v2/withdrawals", {
    ...{ amount: 10, pixKey: "rosana@example.com", pixKeyType: "email", holderName: "Rosana" },
    ...{ holderDocument: "12345678909", holderDocumentType: "cpf" },
  }));
}, SETUP);
after(() => opened?.close());

const panel = () => page.getByRole("dialog");
const approve = () => panel().getByRole("button", { name: /^Aprovar/ });
async function openPanel(): Promise<void> {
  await page.goto(new URL(`/console/withdrawals?open=${id}`, page.url()).href);
  await panel().getByText("Espera aprovação").waitFor();
}

/** As if another person had asked for it. */
const asAnothers = () =>
  page.route(ANSWERS, async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text()).replaceAll(/"requestedBy":"[^"]+"/g, `"requestedBy":"${ANOTHER}"`);
    await route.fulfill({ response: answer, body });
  });

describe("a withdrawal that awaits approval", { timeout: 300_000 }, () => {
  test("offers who may approve it that, and names who asked", async () => {
    await asAnothers();
    await openPanel();
    await approve().waitFor();
    await eventuallyReads(panel(), new RegExp(`Pedido por ${ANOTHER}`));
    await page.goto(new URL("/console/", page.url()).href);
    await page
      .locator(".need-list")
      .getByRole("link", { name: /R\$\s10,00/ })
      .waitFor();
    await page.unrouteAll({ behavior: "wait" });
  });

  test("offers who may not approve any neither that nor a field for it", async () => {
    await asAnothers();
    await page.route("**/console/api/session", async (route) => {
      const answer = await route.fetch();
      const session = (await answer.json()) as Session;
      for (const [role, permissions] of Object.entries(session.permissions))
        session.permissions[role] = permissions.filter((permission) => permission.endsWith(":READ"));
      await route.fulfill({ response: answer, json: session });
    });
    await openPanel();
    await panel()
      .getByText(/^Seu papel não aprova saques/)
      .waitFor();
    assert.deepEqual([await approve().count(), await panel().getByRole("textbox").count()], [0, 0]);
    await page.unrouteAll({ behavior: "wait" });
  });

  test("tells who asked for it that another person approves it, needs nothing of them, and lets them cancel it", async () => {
    await openPanel();
    await panel()
      .getByText(/^Você pediu este saque/)
      .waitFor();
    assert.equal(await approve().count(), 0);
    await page.goto(new URL("/console/", page.url()).href);
    await page.getByText("Nada espera por você.").waitFor();
    await openPanel();
    await panel()
      .getByRole("button", { name: /^Cancelar o saque/ })
      .click();
    const status = async () => (await callApi<Withdrawal>(page, "GET", `/v2/withdrawals/${id}`)).status;
    await eventuallyEqual(status, "failed");
    assert.deepEqual(opened.errors, []);
  });
});
