/** The picture of a charge's code, as the console has it drawn for a charge that was made before. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { LIMITS } from "../../src/lib/limits.ts";
import { assertInvalid, assertRefused } from "../contract/refusal.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.stop());

test("a person sees the picture that the charge's maker was given, nobody else does, and no longer text is drawn", async () => {
  const person = await new Browser(gateway).use(firstLink(gateway));
  const draw = (browser: Browser, code: string) =>
    browser.send<{ image: string }>("GET", `/console/api/qr?code=${encodeURIComponent(code)}`);
  const made = await gateway.merchant.post<{ pixCopyPaste: string; qrCodeBase64: string }>("/pix", {
    ...{ amount: 1, description: "Pão" },
  });
  assert.equal((await draw(person, made.body.pixCopyPaste)).body.image, made.body.qrCodeBase64);
  assertRefused(await draw(new Browser(gateway), made.body.pixCopyPaste), 401, "TOKEN_MISSING");
  assert.equal((await draw(person, "0".repeat(LIMITS.pixCode))).status, 200);
  assertInvalid(await draw(person, "0".repeat(LIMITS.pixCode + 1)), ["code"]);
});
