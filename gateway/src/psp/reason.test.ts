import assert from "node:assert/strict";
import { test } from "node:test";
import { inWords } from "./reason.ts";

test("the code of a call that had no answer is said in words, and stays to be searched for", () => {
  for (const [reason, words] of [
    ["ECONNREFUSED", "nobody listens at its address (ECONNREFUSED)"],
    ["token_ECONNREFUSED", "it gave no access token: nobody listens at its address (token_ECONNREFUSED)"],
    ["token_http_401", "it gave no access token: it answered 401 (token_http_401)"],
    ["http_503", "it answered 503 (http_503)"],
    ["timeout", "it did not answer in time (timeout)"],
    ["not_json", "its answer could not be read (not_json)"],
    ["token_unreadable", "it gave no access token: its answer could not be read (token_unreadable)"],
    ["ERR_SOMETHING_NEW", "ERR_SOMETHING_NEW"],
    ["token_ERR_SOMETHING_NEW", "it gave no access token (token_ERR_SOMETHING_NEW)"],
    ["404 chave_favorecido: not found", "404 chave_favorecido: not found"],
  ] as const)
    assert.equal(inWords(reason), words);
});
