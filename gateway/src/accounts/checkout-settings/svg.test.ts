/** SVG made safe: what comes out is of our lists alone, whatever goes in. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { safeSvg } from "./svg.ts";

const NS = 'xmlns="http://www.w3.org/2000/svg"';
const ROOT = `<svg ${NS} viewBox="0 0 24 24" width="96" height="96">`;
const safe = (text: string) => safeSvg(Buffer.from(text));
const inside = (content: string) => safe(`<svg ${NS} viewBox="0 0 24 24">${content}</svg>`);
const problem = (result: ReturnType<typeof safeSvg>): string => ("problem" in result ? result.problem : "");
const text = (result: ReturnType<typeof safeSvg>): string =>
  "text" in result ? result.text : assert.fail(result.problem);

/** All that a stored drawing may consist of: tags of shapes whose values are numbers, colours, words and transforms. */
const TAG =
  /^<(?:\/(?:svg|g|path|rect|circle|ellipse|line|polyline|polygon)|(?:svg|g|path|rect|circle|ellipse|line|polyline|polygon)(?: [a-z][a-zA-Z0-9-]*="[a-zA-Z0-9 .#%()-]*")*)>/;
function assertOfOurLists(stored: string): void {
  let rest = stored.replace('xmlns="http://www.w3.org/2000/svg"', 'xmlns="ours"');
  while (rest !== "") {
    const tag = TAG.exec(rest)?.[0];
    assert.ok(tag, `not of our lists: ${rest.slice(0, 120)}`);
    rest = rest.slice(tag.length);
  }
  assert.doesNotMatch(stored, /\bon[a-z]+=|href|url\(|style|script|javascript|<!|<\?|&/i);
}

test("A drawing is stored as we write it: numbers are rounded, names and comments of the editor are left out", () => {
  const sent = `\uFEFF<?xml version="1.0" encoding="utf-8"?>
    <!-- Generator: an editor -->
    <svg version="1.1" id="Layer_1" ${NS} xmlns:xlink="http://www.w3.org/1999/xlink" x="0px" y="0px" viewBox="0 0 48.00 24"
      style="enable-background:new 0 0 48 24;" xml:space="preserve">
      <title>Padaria &amp; Café</title><defs><linearGradient id="a"><stop offset="0"/></linearGradient></defs>
      <g class="x" style="fill:#FFF; stroke : none" fill="red" transform="translate(1.00049, 2) rotate(45)">
        <path d="M0 0 10,10.123456h5.5a1 1 0 01.5.5z"/><rect width="50%" height='4px' fill="rgb(255, 0,16)" data-name="r"/>
      </g>
    </svg>
    <!-- end -->`;
  assert.equal(
    text(safe(sent)),
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 24" width="96" height="48">' +
      '<g fill="#fff" transform="translate(1 2)rotate(45)" stroke="none">' +
      '<path d="M0 0L10 10.123h5.5a1 1 0 0 1 0.5 0.5z"></path><rect width="50%" height="4" fill="#ff0010"></rect></g></svg>',
  );
});

test("What is stored is accepted again, and stays as it is", () => {
  const once = text(inside('<path d="m1-1 2-2 3.3333.4444zm1 1"/><circle cx="1e1" cy="5" r="2" opacity="50%"/>'));
  assert.equal(text(safe(once)), once);
  assert.equal(
    once,
    `${ROOT}<path d="m1 -1l2 -2l3.333 0.444zm1 1"></path><circle cx="10" cy="5" r="2" opacity="0.5"></circle></svg>`,
  );
});

/** Attacks on browsers, parsers and readers, each with the words of its refusal. */
const HOSTILE: readonly (readonly [string, RegExp])[] = [
  ["<script>alert(1)</script>", /without `script`/],
  ["<defs><script>alert(1)</script></defs>", /without `script`/],
  ["<style>*{fill:url(https://evil.example)}</style>", /without `style`/],
  ["<defs><style>@import 'https://evil.example'</style></defs>", /without `style`/],
  ["<foreignObject><body/></foreignObject>", /without `foreignObject`/],
  ["<image width='1' height='1' href='https://evil.example/x.png'/>", /without `image`/],
  ["<use href='#a'/>", /without `use`/],
  ["<a href='javascript:alert(1)'><path d='M0 0'/></a>", /without `a`/],
  ["<animate attributeName='href' to='javascript:alert(1)'/>", /without `animate`/],
  ["<set attributeName='onload' to='alert(1)'/>", /without `set`/],
  ["<text>Pague para outra chave</text>", /without `text`/],
  ["<filter id='a'/>", /without `filter`/],
  ["<svg/>", /one `svg`/],
  ["<g xlink:href='https://evil.example'/>", /not have `xlink:href`/],
  ["<g onload='alert(1)'/>", /not have `onload`/],
  ["<g fill='url(#a)'/>", /value of `fill`/],
  ["<g fill='url(https://evil.example)'/>", /value of `fill`/],
  ["<g style='fill:u\\72l(https://evil.example)'/>", /value of `fill`/],
  ["<g style='background:url(https://evil.example)'/>", /not have `background` in a style/],
  ["<g style='fill:red;/**/stroke:red'/>", /not have `\/\*\*\/stroke`/],
  ["<g clip-path='url(#a)'/>", /not have `clip-path`/],
  ["<g fill='&#x75;rl(#a)'/>", /without `&`/],
  ["<g fill='&xxe;'/>", /without `&`/],
  ["<g fill=red/>", /well-formed/],
  ["<g fill='red' fill='blue'/>", /each attribute once/],
  ["<g __proto__='1'/>", /not have|well-formed/],
  ["<path d='M0 0 L1'/>", /value of `d`/],
  ["<path d='L1 1'/>", /value of `d`/],
  ["<path d='M0 0z1 1'/>", /value of `d`/],
  ["<path d='M1e99 0'/>", /value of `d`/],
  ["<g transform='constructor(1)'/>", /value of `transform`/],
  ["<g transform='rotate(1 2)'/>", /value of `transform`/],
  ["Pague aqui", /no text/],
  ["<![CDATA[<script/>]]>", /well-formed/],
  ["<?xml-stylesheet href='https://evil.example'?>", /well-formed/],
  ["<!ENTITY a 'b'>", /well-formed/],
  ["<g></path>", /well-formed/],
  ["<g>", /well-formed/],
  ["<!-- -- -->", /well-formed/],
  ["<g/>".repeat(500), /at most 500 elements/],
  [`${"<g>".repeat(16)}${"</g>".repeat(16)}`, /nested at most 16/],
];

test("Scripts, styles, references, text, entities and what is not well-formed are refused, with what it was", () => {
  for (const [content, said] of HOSTILE) assert.match(problem(inside(content)), said, content);
});

test("What is around the drawing is refused too", () => {
  const whole = `<svg ${NS} viewBox="0 0 1 1"></svg>`;
  assert.match(problem(safe(`<!DOCTYPE svg [<!ENTITY a "b">]>${whole}`)), /no DOCTYPE/);
  assert.match(problem(safe(whole + whole)), /nothing after it/);
  assert.match(problem(safe(`${whole}<script/>`)), /nothing after it/);
  assert.match(problem(safe('<svg viewBox="0 0 1 1"/>')), /xmlns/);
  assert.match(problem(safe(`<svg ${NS}/>`)), /viewBox/);
  assert.match(problem(safe(`<svg ${NS} viewBox="0 0 0 9"/>`)), /two sides/);
  assert.match(problem(safe(`<svg ${NS} viewBox="0 0 1 21"/>`)), /two sides/);
  assert.match(problem(safe("<html/>")), /begin with `svg`/);
  assert.match(problem(safe("")), /well-formed/);
  assert.match(problem(safeSvg(Buffer.from([0x3c, 0xff, 0xfe]))), /UTF-8/);
  assert.match(text(safe(`<svg ${NS} width="32px" height="16"/>`)), /viewBox="0 0 32 16" width="96" height="48"/);
});

test("Whatever is sent, what is stored is of our lists alone, and is stored again as it is", () => {
  const good = [
    "<g>",
    "</g>",
    "<g fill='red'/>",
    "<path d='M0 0l1 1z'/>",
    "<rect width='1' height='2'/>",
    "<title>x</title>",
    " ",
  ];
  const content = fc
    .array(
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...good) },
        fc.constantFrom(...HOSTILE.map(([part]) => part)),
        fc.string({ maxLength: 8 }),
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join(""));
  const value = fc.oneof(
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.stringMatching(/^[-+0-9eE.,%a-zA-Z()#;:/ ]{0,16}$/),
  );
  const name = fc.constantFrom(
    "fill",
    "d",
    "transform",
    "points",
    "style",
    "stroke-width",
    "opacity",
    "id",
    "onclick",
    "href",
    "x",
  );
  const element = fc.constantFrom("g", "path", "rect", "polygon", "circle", "image", "style");
  const attributed = fc.tuple(element, name, value).map(([tag, key, it]) => `<${tag} ${key}="${it}"/>`);
  let accepted = 0;
  const check = (sent: string) => {
    const result = inside(sent);
    if ("problem" in result) return;
    accepted += 1;
    assertOfOurLists(result.text);
    assert.equal(text(safe(result.text)), result.text);
  };
  fc.assert(fc.property(content, check), { numRuns: 1_000 });
  fc.assert(fc.property(attributed, check), { numRuns: 2_000 });
  assert.ok(accepted > 100, `only ${accepted} of 3,000 were accepted: the rest shows nothing`);
});

test("64 KiB made to be slow are read in one pass", () => {
  const size = 64 * 1024;
  const fill = (part: string, before = "", after = "") =>
    `<svg ${NS} viewBox="0 0 1 1">${before}${part.repeat(size / part.length)}${after}`;
  for (const sent of [
    fill("<!-- "),
    fill("-", "<!--"),
    fill("<g "),
    fill(" ", "<g"),
    fill("1", '<path d="M'),
    fill(" ,", '<path d="M0', '"/>'),
    fill("0 ", '<path d="M', '"/></svg>'),
    fill("(", '<g transform="', '"/>'),
    fill("a:", '<g style="', '"/>'),
    fill(" a='", "<g"),
    `<svg ${NS} viewBox="0 0 1 1"><g fill="rgb(1${" ".repeat(size / 2)}1${" ".repeat(size / 2)}x"/></svg>`,
  ]) {
    const began = process.cpuUsage();
    safe(sent);
    const { user } = process.cpuUsage(began);
    // One pass takes some 20 ms on a busy machine; a second one for each character would take minutes.
    assert.ok(user < 2_000_000, `${user} µs for ${sent.slice(0, 80)}`);
  }
});
