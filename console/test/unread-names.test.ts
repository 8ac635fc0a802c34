/** What could not be read is said with its article: every screen of the navigation has one, in both languages. */
import assert from "node:assert/strict";
import { test } from "node:test";
import en from "../src/texts/en.json" with { type: "json" };
import enOperator from "../src/texts/operator.en.json" with { type: "json" };
import ptOperator from "../src/texts/operator.pt-BR.json" with { type: "json" };
import pt from "../src/texts/pt-BR.json" with { type: "json" };
import enScreens from "../src/texts/screens.en.json" with { type: "json" };
import ptScreens from "../src/texts/screens.pt-BR.json" with { type: "json" };

/** Home and the overview say it in words of their own; the reference is no screen of the console. */
const OTHERS = ["home", "reference"];

const LANGUAGES = [
  ["en", en, enScreens, enOperator],
  ["pt-BR", pt, ptScreens, ptOperator],
] as const;

for (const [language, { nav, feedback }, ofScreens, ofOperators] of LANGUAGES)
  test(`every screen has a name with its article in ${language}`, () => {
    const named = (list: string) => list.split("|").map((name) => name.toLowerCase().replace(/^\S+ /, ""));
    const home = named(feedback.names);
    const names = [...home, ...named(ofScreens.unreadNames)];
    const screens = Object.keys(nav).slice(0, Object.keys(nav).indexOf("unanswered"));
    const titles = [
      ...screens.filter((screen) => !OTHERS.includes(screen)).map((screen) => nav[screen as keyof typeof nav]),
    ];
    const unnamed = titles.filter((title) => typeof title === "string" && !names.includes(title.toLowerCase()));
    assert.deepEqual(unnamed, []);
    const operators = [...home, ...named(ofOperators.unreadNames)];
    assert.deepEqual(
      Object.values(nav.operators).filter((title) => !operators.includes(title.toLowerCase())),
      [],
    );
  });
