/** A withdrawal that awaits approval, as who asked for it, who may approve it and who may not see it, in a real browser. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventuallyEqual, eventuallyReads } from "./eventually.ts";
import { goTo, opened, page, withConsole } from "./with-console.ts";

type Withdrawal = { id: string; status: string };
type Session = { permissions: Record<string, string[]>; accounts: [{ accountId: string }] };
type Secret = { readonly clientId: string; readonly clientSecret: string };

const REQUEST = {
  ...{ amount: 10, pixKey: "rosana@example.com", pixKeyType: "email", holderName: "Rosana" },
  ...{ holderDocument: "12345678909", holderDocumentType: "cpf" },
};

const dataDir = mkdtempSync(join(tmpdir(), "pixgate-approvals-"));
let accountId = "";
withConsole({ PIXGATE_DATA_DIR: dataDir }, async () => {
  const { accounts } = await callApi<Session>(page, "GET", "/console/api/session");
  accountId = accounts[0].accountId;
  await callApi(page, "PATCH", `/operator/v1/accounts/${accountId}`, { payouts: { approvalAbove: 1 } });
  const charge = await callApi<{ id: string }>(page, "POST", "/v2/pix", { amount: 500, description: "Cesta" });
  await callApi(page, "POST", `/v2/sandbox/pix/${charge.id}/pay`, {});
});
after(() => rmSync(dataDir, { recursive: true, force: true }));

/** Withdrawals that a credential asks for, by their ids. */
async function askAs({ clientId, clientSecret }: Secret, count = 1): Promise<string[]> {
  const send = async <T>(path: string, body: object, token?: string): Promise<T> => {
    const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
    const url = new URL(`/v2${path}`, page.url());
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    assert.ok(answer.ok, `${path}: ${answer.status}`);
    return (await answer.json()) as T;
  };
  const { access_token: token } = await send<{ access_token: string }>("/auth", {
    client_id: clientId,
    client_secret: clientSecret,
  });
  const ids = [];
  for (let n = 0; n < count; n += 1) ids.push((await send<Withdrawal>("/withdrawals", REQUEST, token)).id);
  return ids;
}
/** The sandbox's first credential, which is nobody's. */
const manyAsAnother = (count: number) =>
  askAs(JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as Secret, count);
const askAsAnother = async (): Promise<string> => (await manyAsAnother(1))[0]!;

const panel = () => page.getByRole("dialog");
const approve = () => panel().getByRole("button", { name: /^Aprovar/ });
async function openPanel(id: string): Promise<void> {
  await goTo(`withdrawals?open=${id}`);
  await panel().getByText("Espera aprovação").waitFor();
}
const statusOf = async (id: string) => (await callApi<Withdrawal>(page, "GET", `/v2/withdrawals/${id}`)).status;
async function openHome(): Promise<void> {
  await goTo("");
}
const inNavigation = () => page.locator("nav .nav-item", { hasText: "Saques" });
const need = () => page.locator(".need-list").getByRole("link", { name: /Saque de R\$\s10,00 espera aprovação/ });
async function cancelInPanel(id: string): Promise<void> {
  await panel()
    .getByRole("button", { name: /^Cancelar o saque/ })
    .click();
  await eventuallyEqual(() => statusOf(id), "failed");
}

describe("a withdrawal that awaits approval", { timeout: 300_000 }, () => {
  test("is approved by who may, who reads by name who asked, as the operator does", async () => {
    const id = await askAsAnother();
    await goTo(`operator/withdrawals?open=${id}`);
    await eventuallyReads(panel(), /Pedido sandbox/);
    await openHome();
    await eventuallyReads(inNavigation(), /^Saques 1 espera sua aprovação$/);
    await need().click();
    await eventuallyReads(panel(), /Solicitado por sandbox/);
    await approve().click();
    await eventuallyEqual(() => statusOf(id), "completed");
    await eventuallyReads(inNavigation(), /^Saques$/);
  });

  test("offers who may not approve any neither that nor a field for it, and needs nothing of them", async () => {
    const id = await askAsAnother();
    await page.route("**/console/api/session", async (route) => {
      const answer = await route.fetch();
      const session = (await answer.json()) as Session;
      for (const [role, permissions] of Object.entries(session.permissions))
        session.permissions[role] = permissions.filter((permission) => permission.endsWith(":READ"));
      await route.fulfill({ response: answer, json: session });
    });
    await openPanel(id);
    await panel()
      .getByText(/^Seu papel não aprova saques/)
      .waitFor();
    await eventuallyReads(panel(), /Solicitado por sandbox/);
    assert.deepEqual([await approve().count(), await panel().getByRole("textbox").count()], [0, 0]);
    await openHome();
    await page.getByText("Nada espera por você.").waitFor();
    // Home has read it for its list; it waits for somebody else all the same.
    assert.equal(await inNavigation().innerText(), "Saques");
    await page.unrouteAll({ behavior: "wait" });
    await openPanel(id);
    await panel().getByRole("button", { name: "Recusar" }).click();
    await eventuallyEqual(() => statusOf(id), "failed");
  });

  test("of a person's own credential is not theirs to approve: it needs nothing of them, and they may cancel it", async () => {
    const made = await callApi<Secret>(page, "POST", `/console/api/accounts/${accountId}/credentials`, {
      ...{ name: "Loja", permissions: ["WITHDRAWAL:WRITE"] },
    });
    const [id = ""] = await askAs(made);
    await openPanel(id);
    await panel()
      .getByText(/^Uma credencial sua pediu este saque/)
      .waitFor();
    await eventuallyReads(panel(), /Solicitado por Loja/);
    assert.equal(await approve().count(), 0);
    await openHome();
    await page.getByText("Nada espera por você.").waitFor();
    await openPanel(id);
    await cancelInPanel(id);
  });

  test("tells who asked for it that another person approves it, needs nothing of them, and lets them cancel it", async () => {
    const { id } = await callApi<Withdrawal>(page, "POST", "/v2/withdrawals", REQUEST);
    await openPanel(id);
    await panel()
      .getByText(/^Você pediu este saque/)
      .waitFor();
    await eventuallyReads(panel(), /Solicitado por Admin/);
    assert.equal(await approve().count(), 0);
    await openHome();
    await page.getByText("Nada espera por você.").waitFor();
    await openPanel(id);
    await cancelInPanel(id);
    assert.deepEqual(opened.errors, []);
  });

  test("is counted with the others that were read, and the count says that there are more", async () => {
    await manyAsAnother(21);
    await openHome();
    await eventuallyReads(inNavigation(), /^Saques 20\+ esperam sua aprovação$/);
  });
});
