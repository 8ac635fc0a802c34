/** Every pattern of the gateway and of the console against texts made to be slow for it: time grows with their length, no faster. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
/** Lengths of the texts: at the first ones an exponential pattern shows, at the last a quadratic one (0.5 s). */
const LENGTHS = [28, 120, 500, 2_000, 20_000];
/** Of texts with a character in the middle: the first ones end soon where each of three stars in a row may match as much as it likes. */
const SPLIT_LENGTHS = [500, 2_000, 20_000];
/** Milliseconds for one text. A linear pattern takes less than one at the last length. */
const MOST = 150;

type Pattern = { readonly where: string; readonly regex: RegExp };

/** Regular expressions as they stand in the source: a slash where an expression may begin, up to its end. */
function literalsOf(path: string): Pattern[] {
  const code = readFileSync(join(root, path), "utf8").replace(/^\s*(?:\/\/|\*|\/\*\*?).*$/gm, "");
  const found: Pattern[] = [];
  const begin =
    /(?<=[(,=:?[!&|{};\n]\s*|return\s+|=>\s*)\/(?![/*])((?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/g;
  for (const [, source, flags] of code.matchAll(begin)) {
    // A sticky one is tried at one place only, and stays so.
    found.push({ where: `${path}: /${source}/`, regex: new RegExp(source!, flags!.replace("g", "")) });
  }
  return found;
}

/** `pattern`s of the published schemas, and formats that Ajv checks with patterns of its own. */
function patternsOf(document: unknown): Pattern[] {
  if (typeof document !== "object" || document === null) return [];
  const own = (document as { pattern?: unknown }).pattern;
  const inner = Object.values(document).flatMap(patternsOf);
  return typeof own === "string" ? [{ where: `schema: ${own}`, regex: new RegExp(own, "u") }, ...inner] : inner;
}

function formats(): Pattern[] {
  const { fullFormats } = createRequire(import.meta.url)("ajv-formats/dist/formats.js") as { fullFormats: unknown };
  return ["email", "uri", "date-time"].flatMap((name) => {
    const format = (fullFormats as Record<string, unknown>)[name];
    return format instanceof RegExp ? [{ where: `format ${name}`, regex: format }] : [];
  });
}

const PUMPS = [
  "a",
  "0",
  " ",
  "-",
  ".",
  ",",
  "/",
  "_",
  ":",
  "=",
  "\\",
  '"',
  "\t",
  "\r",
  "\n",
  "A",
  "%",
  "é",
  "a.",
  "a@",
  "a,",
  "0:",
  "a ",
  "/a",
  "::",
  "\\a",
  "0-",
];

/** The characters that a pattern names, and its first word: what brings a text into its middle. */
function wordsOf({ source }: RegExp): { pumps: string[]; prefix: string } {
  const plain = source
    .replace(/\\[dwsbDWSB]/g, "")
    .replace(/\\x([0-9a-f]{2})|\\u([0-9a-f]{4})/gi, "")
    .replace(/[\\()[\]{}|^$?*+]/g, " ");
  const characters = [...new Set(plain.replaceAll(" ", ""))].slice(0, 12);
  return { pumps: characters, prefix: /[A-Za-z_:./-]{2,}/.exec(plain)?.[0] ?? "" };
}

/** Texts that begin well, go on for long, and end badly: where a pattern can be read in many ways, all of them are tried. */
function attacks(regex: RegExp, length: number): string[] {
  const { pumps, prefix } = wordsOf(regex);
  const before = [...new Set(["", prefix, `${prefix} `])];
  return [...new Set([...PUMPS, ...pumps])].flatMap((pump) => {
    const long = pump.repeat(Math.ceil(length / pump.length));
    return before.map((begin, i) => `${begin}${long}${i === 0 ? "\0" : "!"}`);
  });
}

/** Two runs of one character around another: what stands between two stars may be anywhere in a run, and each star may end anywhere. */
function splitAttacks(regex: RegExp, length: number): string[] {
  const { pumps } = wordsOf(regex);
  const begin = beginOf(regex);
  return [...new Set([" ", "0", "a", "\t", ...pumps])].flatMap((pump) => {
    const half = pump.repeat(length / 2);
    return [...new Set(["0", "a", " ", ...pumps])].flatMap((middle) => [
      `${half}${middle}${half}\0`,
      `${begin}${middle}${half}${middle}${half}\0`,
    ]);
  });
}

/** What every text that a pattern takes begins with, as `rgb(`. */
function beginOf({ source }: RegExp): string {
  const literal = /^\^?((?:\\[^\w\s]|[\w#:;,@-])*)([?*+{]?)/.exec(source)!;
  const characters = literal[1]!.match(/\\.|./g) ?? [];
  return (literal[2] === "" ? characters : characters.slice(0, -1)).map((one) => one.replace("\\", "")).join("");
}

describe("no pattern can be made slow", () => {
  const sources = ["gateway/src/**/*.{ts,js}", "console/src/**/*.{ts,js}"];
  const files = globSync(sources, { cwd: root }).filter((path) => !path.endsWith(".test.ts"));
  const patterns = new Map<string, Pattern>();
  const add = (found: readonly Pattern[]) => {
    for (const one of found) patterns.set(String(one.regex), one);
  };
  add(files.flatMap(literalsOf));
  for (const name of ["merchant", "operator", "payer"]) {
    add(patternsOf(JSON.parse(readFileSync(new URL(`../../../openapi/${name}.json`, import.meta.url), "utf8"))));
  }

  test("they are found: those of the source, of the schemas and of the formats", () => {
    add(formats());
    const count = (what: RegExp) => [...patterns.values()].filter(({ where }) => what.test(where)).length;
    assert.ok(count(/^(?!schema|format)/) >= 100, `${count(/^(?!schema|format)/)} in the source`);
    assert.ok(count(/^schema/) >= 1 && count(/^format/) >= 1);
    // One of each kind of place, so that the search itself is tested.
    for (const known of ["Bearer +", "charset", "[A-Za-z0-9+/=]"]) {
      assert.ok(
        [...patterns.keys()].some((text) => text.includes(known)),
        known,
      );
    }
    const slow = [/^(a+)+$/, /(\w+\s*)*;/].filter((regex) => isSlow(regex, 20));
    assert.equal(slow.length, 2, "the measure finds what is slow");
    const cubic = /^\s*(?:R\$)?\s*\d[\d\s]*%?\s*$/;
    assert.ok(splitAttacks(cubic, 2_000).some((text) => timed(cubic, text) > MOST));
    const behind = /^rgb\(\s*(\d{1,3})\s*[,\s]\s*(\d{1,3})\s*[,\s]\s*(\d{1,3})\s*\)$/;
    assert.ok(splitAttacks(behind, 2_000).some((text) => timed(behind, text) > MOST));
  });

  test("each takes texts of up to twenty thousand characters in its stride", () => {
    const slow: string[] = [];
    for (const { where, regex } of patterns.values()) {
      const texts = [
        ...LENGTHS.flatMap((length) => attacks(regex, length)),
        ...SPLIT_LENGTHS.flatMap((length) => splitAttacks(regex, length)),
      ];
      for (const text of texts) {
        let ms = timed(regex, text);
        // Another process may have had the core: the best of three counts.
        for (let again = 0; ms > MOST && again < 2; again += 1) ms = Math.min(ms, timed(regex, text));
        if (ms > MOST) {
          slow.push(`${where} takes ${Math.round(ms)} ms for ${text.length}: ${JSON.stringify(text.slice(0, 40))}…`);
          break;
        }
      }
    }
    assert.deepEqual(slow, []);
  });
});

function timed(regex: RegExp, text: string): number {
  regex.lastIndex = 0;
  const began = performance.now();
  regex.test(text);
  return performance.now() - began;
}

/** Twice the length takes far more than twice the time. */
function isSlow(regex: RegExp, length: number): boolean {
  const best = (n: number) => Math.min(...[1, 2, 3].map(() => timed(regex, `${"a".repeat(n)}!`)));
  return best(length) > 8 * best(length - 8);
}
