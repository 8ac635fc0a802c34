/** Names in sentences. */
import assert from "node:assert/strict";
import { test } from "node:test";
import i18next from "i18next";
import { isolate } from "../src/texts/isolate.ts";

test("a name that turns the direction is kept apart from its sentence, and ends nothing of it; any other stays as it is", async () => {
  const texts = i18next.createInstance();
  const resources = { en: { translation: { to: "To {{name}}, asked {{when}}." } } };
  await texts.init({ lng: "en", resources, interpolation: { escapeValue: true, escape: isolate } });
  const say = (name: string) => texts.t("to", { name, when: "14:32" });
  assert.equal(say("<b>Zé</b> & Cia"), "To <b>Zé</b> & Cia, asked 14:32.");
  assert.equal(say("Zé \u202e abc"), "To \u2068Zé \u202e abc\u2069, asked 14:32.");
  assert.equal(say("Zé \u2069\u202e abc"), "To \u2068Zé \u202e abc\u2069, asked 14:32.");
  assert.equal(say("שלום"), "To \u2068שלום\u2069, asked 14:32.");
});
