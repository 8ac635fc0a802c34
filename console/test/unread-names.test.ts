/** What could not be read is said with its article: every screen of the navigation has one, in both languages. */
import assert from "node:assert/strict";
import { test } from "node:test";
import en from "../src/texts/en.json" with { type: "json" };
import pt from "../src/texts/pt-BR.json" with { type: "json" };

/** Home and the overview say it in words of their own; the reference is no screen of the console. */
const OTHERS = ["home", "reference"];

for (const [language, { nav, feedback }] of Object.entries({ en, "pt-BR": pt }))
  test(`every screen has a name with its article in ${language}`, () => {
    const names = feedback.names.split("|").map((name) => name.toLowerCase().replace(/^\S+ /, ""));
    const screens = Object.keys(nav).slice(0, Object.keys(nav).indexOf("unanswered"));
    const titles = [
      ...screens.filter((screen) => !OTHERS.includes(screen)).map((screen) => nav[screen as keyof typeof nav]),
      ...Object.values(nav.operators),
    ];
    const unnamed = titles.filter((title) => typeof title === "string" && !names.includes(title.toLowerCase()));
    assert.deepEqual(unnamed, []);
    assert.equal(new Set(feedback.names.split("|")).size, names.length);
  });
