/** Every error that the gateway can answer with has words in both languages of the console. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ERRORS } from "../../src/http/errors.ts";

const errorsOf = (file: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`../../../console/src/texts/${file}.json`, import.meta.url), "utf8")).errors;

for (const language of ["pt-BR", "en"]) {
  test(`every error code has its words, and no word is of a code that is gone (${language})`, () => {
    const words = { ...errorsOf(language), ...errorsOf(`screens.${language}`) };
    // What goes wrong in the browser alone has no code of the gateway's.
    const own = /^(?:noAnswer|OLDER_VERSION|PASSKEY_(?:CANCELLED|KNOWN|UNSUPPORTED|FAILED))$/;
    const codes = Object.keys(words).filter((key) => !own.test(key));
    assert.deepEqual(codes.sort(), Object.keys(ERRORS).sort());
    for (const [key, text] of Object.entries(words)) assert.match(text, /^\S.*(?:[.!]|\{\{message\}\})$/, key);
  });
}
