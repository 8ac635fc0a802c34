import assert from "node:assert/strict";
import { test } from "node:test";
import { hasInk, isAllSeen, withoutUnseen } from "./visible.ts";

/** Fillers, blanks, joiners, marks of direction, selectors, a soft hyphen, a tag: no font gives them ink. */
const UNSEEN = [
  "\u3164", "\u115f", "\u1160", "\uffa0", "\u2800", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u034f",
  "\u202e", "\u2066", "\u180e", "\ufe0f", "\u{e0041}", "\u{13441}", "\u{13442}", "\u{1d159}",
]; // biome-ignore format: a list reads better in rows

test("a text of unseen characters and spaces alone shows nothing", () => {
  for (const one of UNSEEN) {
    for (const text of [one, one.repeat(20), ` ${one} `, `${one}\t\u00a0\u3000${one}`]) {
      assert.equal(hasInk(text), false, JSON.stringify(text));
    }
    assert.equal(isAllSeen(`Ana${one}`), false, JSON.stringify(one));
    assert.equal(withoutUnseen(`A${one}n${one}a ${one}`), "Ana ");
  }
  for (const text of ["", " ", "\n\t", "\u00a0", "\u3000", "\u0301", "\u0007", UNSEEN.join("")]) {
    assert.equal(hasInk(text), false, JSON.stringify(text));
  }
});

test("whatever has one seen character shows something, in every script", () => {
  for (const text of [
    "A",
    "7",
    "–",
    "R$",
    "日",
    "한",
    "ع",
    "😀",
    "👩‍🍳",
    "❤️",
    "é",
    "e\u0301",
    "\u3164a",
    "\u200b.\u200b",
    "✂",
  ]) {
    assert.equal(hasInk(text), true, JSON.stringify(text));
  }
});

test("ordinary names are seen whole", () => {
  for (const text of ["Ana Maria", "José D’Ávila", "Padaria Nova Esperança & Cia. (SP)", "김철수", "e\u0301", ""]) {
    assert.equal(isAllSeen(text), true, text);
    assert.equal(withoutUnseen(text), text);
  }
});
