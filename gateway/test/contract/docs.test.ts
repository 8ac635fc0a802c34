import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

describe("the interactive reference", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.stop());

  const get = async (path: string) => {
    const response = await fetch(gateway.running.url + path);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  test("is files of this server alone, under a policy that allows nothing else", async () => {
    const page = await get("/docs");
    assert.equal(page.status, 200);
    assert.match(page.headers.get("content-type")!, /^text\/html/);
    const linked = [...page.text.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map((match) => match[1]!);
    const scripts = ["call.js", "element.js", "reference.js", "samples-view.js", "samples.js"];
    const files = ["reference.css", ...scripts].map((file) => `/docs/${file}`);
    assert.deepEqual(linked.sort(), files.sort());
    for (const path of ["/docs", ...linked]) {
      const { status, headers, text } = await get(path);
      assert.equal(status, 200, path);
      const policy = headers.get("content-security-policy")!;
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'/);
      assert.doesNotMatch(policy, /unsafe|\*|http/);
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.doesNotMatch(text, /https?:\/\//, `${path} names another server`);
    }
    assert.doesNotMatch(page.text, /<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/, "nothing is inline");
    for (const script of scripts)
      assert.doesNotMatch(
        (await get(`/docs/${script}`)).text,
        /innerHTML|outerHTML|insertAdjacentHTML|eval\(|document\.write/,
      );
  });

  test("reads documents that are there", async () => {
    const script = (await get("/docs/reference.js")).text;
    for (const path of ["/openapi.json", "/operator/v1/openapi.json"]) {
      assert.ok(script.includes(`"${path}"`));
      assert.equal((await get(path)).status, 200);
    }
  });
});
