/** An attacker's texts and pages, in a real browser: texts are shown as texts, and no page frames the console. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { callApi } from "./call-api.ts";
import { eventually, eventuallyReads } from "./eventually.ts";
import { SETUP, STEP_TIMEOUT } from "./open-console.ts";
import { opened, openFilled, page, withConsole } from "./with-console.ts";

/** Runs in a page that takes it for HTML: as an element, out of an attribute, out of a script's string. */
const HOSTILE = `"'></script><img src=x onerror="window.pwned=1"><svg onload=alert(1)>`;

/** Screens that show the text. */
const SHOWS =
  /^(charges|wallets|projects|withdrawals|blocks\/|developers\/credentials|operator\/(accounts|payouts|institutions|cases\?))/;

let server: Server;
before(async () => {
  // The webhook's answer, and the page of an attacker who frames the console.
  server = createServer((request, response) => {
    const framed = new URL(request.url ?? "/", "http://localhost").searchParams.get("frame");
    response.writeHead(framed === null ? 500 : 200, { "content-type": "text/html" });
    response.end(framed === null ? HOSTILE : `<iframe src="${framed}" width="800" height="600"></iframe>`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
}, SETUP);
withConsole();
after(() => server?.close());

const addressOfServer = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const call = <Answer>(method: string, path: string, body?: object): Promise<Answer> =>
  callApi<Answer>(page, method, path, body);

/** Sends a defence of this text in the only dispute. */
async function defend(): Promise<string> {
  const id = await eventually("the dispute awaits a defence", async () => {
    const { items } = await call<{ items: { id: string; status: string }[] }>("GET", "/v2/balance-blocks");
    return items[0]?.status === "awaiting_response" && items[0].id;
  });
  await call("POST", `/v2/balance-blocks/${id}/defense`, { text: HOSTILE });
  return id;
}

/** Finds a payout that nobody asked for, and writes on its case: a note, who takes care, the reason of a refusal. */
async function writeOnCase(): Promise<string> {
  const today = () => new Intl.DateTimeFormat("en-CA", { timeZone: "America/Sao_Paulo" }).format(new Date());
  const before = today();
  await opened.payAtBank("app0001", "12.50");
  // Of both days, where midnight passes while it is paid.
  const days = new Set([before, today()]);
  const about = await eventually("the payout's case", async () => {
    for (const day of days) await call("POST", `/operator/v1/reconciliation/${day}`);
    return (await call<{ items: { id: string }[] }>("GET", "/operator/v1/cases")).items[0]?.id ?? false;
  });
  await call("POST", `/operator/v1/cases/${about}/assign`, { assignee: HOSTILE });
  await call("POST", `/operator/v1/cases/${about}/notes`, { text: HOSTILE });
  return about;
}

/** No invitation takes this name, to the account or to the installation: nobody of it is there afterwards. */
async function refuseName(accountId: string): Promise<void> {
  for (const [route, list, role] of [
    [`/console/api/accounts/${accountId}/people`, `/console/api/accounts/${accountId}/people`, "viewer"],
    ["/console/api/people", "/console/api/people", "finance"],
    ["/operator/v1/people", "/console/api/people", "finance"],
  ] as const) {
    const before = await call("GET", list);
    await assert.rejects(
      call("POST", route, { email: "rui@example.com", name: HOSTILE, role }),
      /name must match pattern/,
    );
    assert.deepEqual(await call("GET", list), before);
  }
}

describe("an attacker", { timeout: 600_000 }, () => {
  test("runs nothing by a text of a charge, wallet, project, endpoint, account, case or defence, or by a webhook's answer", async () => {
    await call("POST", "/v2/webhook-endpoints", { url: `${addressOfServer()}/hook`, description: HOSTILE });
    await call("POST", "/v2/sub-accounts", { reference: "hostile", name: HOSTILE });
    await call("POST", "/v2/projects", { name: HOSTILE, description: HOSTILE, color: "#0055ff" });
    const account = await call<{ id: string }>("POST", "/operator/v1/accounts", { name: HOSTILE, legalName: HOSTILE });
    const charge = await call<{ id: string }>("POST", "/v2/pix", {
      amount: 10,
      description: HOSTILE,
      externalReference: HOSTILE,
      customer: { name: HOSTILE },
      metadata: { [HOSTILE]: HOSTILE },
    });
    await call("POST", `/v2/sandbox/pix/${charge.id}/pay`, { payer: { name: HOSTILE, document: "52998224725" } });
    await call("POST", "/v2/withdrawals", {
      ...{ amount: 3, pixKey: "manual@pixgate.test", pixKeyType: "email", externalReference: HOSTILE },
      ...{ holderName: HOSTILE, holderDocument: "52998224725", holderDocumentType: "cpf" },
    });
    await call("POST", `/operator/v1/accounts/${account.id}/credentials`, {
      name: HOSTILE,
      permissions: ["PIX:WRITE"],
    });
    const { accounts } = await call<{ accounts: [{ accountId: string }] }>("GET", "/console/api/session");
    const own = accounts[0].accountId;
    await call("POST", `/operator/v1/accounts/${own}/credentials`, { name: HOSTILE, permissions: ["PIX:WRITE"] });
    await call("PUT", "/operator/v1/brakes", { scope: "account", id: account.id, paused: true, reason: HOSTILE });
    const nowhere = "http://127.0.0.1:9/v2";
    await call("POST", "/operator/v1/institutions", {
      ...{ name: HOSTILE, provider: "api-pix", environment: "sandbox", priority: 900 },
      config: { baseUrl: nowhere, tokenUrl: nowhere, clientId: "c", clientSecret: "s", pixKey: "11222333000181" },
    });
    await call("POST", "/v2/sandbox/balance-blocks", { transactionId: charge.id });
    const block = await defend();
    const about = await writeOnCase();
    await refuseName(own);
    const screens = [
      ...["", `charges/${charge.id}`, "charges", "transactions", `transactions?open=${charge.id}`, "statement"],
      ...["wallets", "projects", "developers/webhooks", "developers/events", "developers/credentials"],
      ...["withdrawals", "blocks", "operator", "operator/withdrawals", "operator/institutions", "operator/payouts"],
      ...["operator/accounts", `operator/accounts/${account.id}`, "operator/audit-log", "operator/cases"],
      ...[`blocks/${block}`, `operator/cases?open=${about}`, "team", "operator/people"],
      `charges?payer=${encodeURIComponent(HOSTILE)}`,
    ];
    for (const path of screens) {
      await openFilled(path);
      if (SHOWS.test(path)) {
        await eventuallyReads(page.locator("main"), /onerror=/);
      }
      const made = await page.evaluate<number>(`document.querySelectorAll('img[src="x"], svg[onload]').length`);
      assert.equal(made, 0, `${path} takes a text for HTML`);
      assert.equal(await page.evaluate<unknown>("window.pwned"), undefined, path);
    }
    // A text that was taken for HTML and stopped by the policy alone is an error here.
    assert.deepEqual(opened.errors, []);
  });

  test("frames neither a screen nor the sign-in", async () => {
    const signedOut = await page.context().browser()!.newContext();
    signedOut.setDefaultTimeout(STEP_TIMEOUT);
    for (const context of [page.context(), signedOut]) {
      const evil = await context.newPage();
      // The browser itself says why the frame is empty.
      const refused = evil.waitForEvent("console", (message) => /frame-ancestors/.test(message.text()));
      const inside = new URL("/console/withdrawals", page.url()).href;
      await evil.goto(`${addressOfServer()}/?frame=${encodeURIComponent(inside)}`);
      await refused;
      const frame = evil.frames()[1];
      assert.ok(frame !== undefined, "the attacker's page has its frame");
      assert.equal(await frame.locator("#content").count(), 0);
    }
  });
});
