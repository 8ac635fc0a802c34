import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/** Calls the API as the person who is signed in, from the page. */
export async function callApi<Answer>(page: Page, method: string, path: string, body?: object): Promise<Answer> {
  const script = `(async () => {
    const session = await (await fetch("/console/api/session")).json();
    const headers = { "content-type": "application/json", "x-pixgate-csrf": session.csrfToken,
      "x-pixgate-account": session.accounts[0].accountId };
    const body = ${body === undefined ? "undefined" : JSON.stringify(JSON.stringify(body))};
    const answer = await fetch(${JSON.stringify(path)}, { method: ${JSON.stringify(method)}, headers, body });
    return { ok: answer.ok, text: await answer.text() };
  })()`;
  const { ok, text } = await page.evaluate<{ ok: boolean; text: string }>(script);
  assert.equal(ok, true, `${method} ${path}: ${text}`);
  return JSON.parse(text) as Answer;
}
