import { ELEMENTS, LOOKS, length, numbers } from "./svg-values.ts";

/**
 * Drawings as SVG, made safe: the upload is read by a small parser of our own that knows shapes and their looks alone, and what
 * is stored is written anew from what it has understood. No character of the upload gets there: elements and attributes are
 * names of our lists, numbers are formatted anew, colours are hexadecimal or letters. Scripts, styles, text, pictures, links,
 * references (`url()`, `href`), entities, and a DOCTYPE are refused by name, so that nobody gets a drawing that looks different.
 */

/** Elements, nesting, and attributes of one element. A logo of 36 pixels has tens of shapes. */
const MOST_NODES = 500;
const MOST_DEPTH = 16;
const MOST_ATTRIBUTES = 40;
/** One side is at most so many times the other. */
const MOST_RATIO = 20;
/** CSS pixels of the longer side, for browsers that want a size; the page scales it. */
const SIDE = 96;
const NAMESPACE = "http://www.w3.org/2000/svg";

/** Elements that are left out with all that is in them, because they are not drawn. */
const LEFT_OUT: ReadonlySet<string> = new Set(["title", "desc", "metadata", "defs", "sodipodi:namedview"]);
/** Attributes that change nothing of what is drawn, once no style and no reference is left. */
const WITHOUT_EFFECT =
  /^(?:id|class|role|version|baseProfile|focusable|enable-background|data-[\w-]+|aria-[\w-]+|xmlns:[\w-]+|xml:space|xml:lang|(?:inkscape|sodipodi|sketch):[\w-]+)$/;
/** Attributes of the root, whose size and place come from its `viewBox`. */
const OF_ROOT: ReadonlySet<string> = new Set(["xmlns", "viewBox", "width", "height", "x", "y", "preserveAspectRatio"]);

const SPACE = /\s*/y;
const PROLOGUE = /\s*(?:<\?xml\s[^<>?]*\?>\s*)?/y;
const COMMENT = /<!--(?!-?>)(?:[^-]|-(?!-))*-->/y;
const OPENING = /<([a-zA-Z][\w-]*(?::[\w-]+)?)/y;
const ATTRIBUTE = /\s+([a-zA-Z][\w-]*(?::[\w-]+)?)\s*=\s*(?:"([^"<&]*)"|'([^'<&]*)')/y;
const TAG_END = /\s*(\/?)>/y;
const CLOSING = /<\/([a-zA-Z][\w-]*(?::[\w-]+)?)\s*>/y;

type Attributes = Map<string, string>;
/** Thrown within this file: the end of a sentence about the logo. */
class Unsafe extends Error {}

const refuse = (problem: string): never => {
  throw new Unsafe(problem);
};
/** A name of the upload, as a refusal may repeat it. */
const named = (name: string): string => `\`${name.slice(0, 40)}\``;

/** Reads an upload once from its beginning to its end, and writes what it has understood. */
class Drawing {
  readonly #text: string;
  #at = 0;
  #nodes = 0;
  /** Names of the open elements. */
  readonly #open: string[] = [];
  /** Depth of the outermost element that is left out; null outside of one. */
  #skippedFrom: number | null = null;
  readonly #written: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  read(): string {
    this.#take(PROLOGUE);
    do {
      this.#skipText();
      if (this.#take(COMMENT)) continue;
      if (!this.#close()) this.#element();
    } while (this.#open.length > 0 || this.#nodes === 0);
    do this.#take(SPACE);
    while (this.#take(COMMENT));
    if (this.#at < this.#text.length) refuse("must be one `svg` element, and nothing after it");
    return this.#written.join("");
  }

  /** Spaces between elements. Words stand only where they are left out. */
  #skipText(): void {
    const words = this.#take(/[^<]*/y)![0];
    if (this.#skippedFrom === null && words.trim() !== "") refuse("must have no text");
  }

  #close(): boolean {
    const name = this.#take(CLOSING)?.[1];
    if (name === undefined) return false;
    if (this.#open.pop() !== name) refuse("is no well-formed SVG");
    this.#end(name);
    return true;
  }

  /** Called after an element was removed from the open ones. */
  #end(name: string): void {
    if (this.#skippedFrom === null) this.#written.push(`</${name}>`);
    else if (this.#skippedFrom === this.#open.length) this.#skippedFrom = null;
  }

  #element(): void {
    const name = this.#take(OPENING)?.[1] ?? refuse(this.#strange());
    const attributes = this.#attributes();
    const tagEnd =
      this.#take(TAG_END) ?? refuse(`must have its attributes well-formed, without \`&\`, in ${named(name)}`);
    this.#nodes += 1;
    if (this.#nodes > MOST_NODES) refuse(`must have at most ${MOST_NODES} elements`);
    if (this.#open.length >= MOST_DEPTH) refuse(`must be nested at most ${MOST_DEPTH} deep`);
    if (this.#nodes === 1 && name !== "svg") refuse("must begin with `svg`");
    // A style has an effect wherever it stands, also where nothing is drawn.
    if (name === "style" || name === "script") refuse(notAllowed(name));
    if (this.#skippedFrom === null && LEFT_OUT.has(name)) this.#skippedFrom = this.#open.length;
    if (this.#skippedFrom === null) this.#written.push(opening(name, attributes, this.#nodes === 1));
    if (tagEnd[1] === "/") this.#end(name);
    else this.#open.push(name);
  }

  #attributes(): Attributes {
    const attributes: Attributes = new Map();
    for (let found = this.#take(ATTRIBUTE); found; found = this.#take(ATTRIBUTE)) {
      if (attributes.has(found[1]!)) refuse(`must have each attribute once, not ${named(found[1]!)} again`);
      attributes.set(found[1]!, found[2] ?? found[3]!);
      if (attributes.size > MOST_ATTRIBUTES) refuse(`must have at most ${MOST_ATTRIBUTES} attributes on an element`);
    }
    return attributes;
  }

  #strange(): string {
    if (this.#text.startsWith("<!DOCTYPE", this.#at)) return "must have no DOCTYPE";
    return "is no well-formed SVG of shapes alone";
  }
}

const notAllowed = (name: string): string =>
  `must be of simple shapes (${[...ELEMENTS.keys()].join(", ")}), without ${named(name)}`;

/** An element's first tag as it is stored. */
function opening(name: string, attributes: Attributes, isRoot: boolean): string {
  const known = ELEMENTS.get(name) ?? refuse(notAllowed(name));
  if (name === "svg" && !isRoot) refuse("must have one `svg` element");
  const written = isRoot ? rootOf(attributes) : [];
  const values = new Map([...attributes].filter(([key]) => key !== "style" && !(isRoot && OF_ROOT.has(key))));
  // As browsers do, a style counts more than the attribute of the same name.
  for (const [key, value] of declarations(attributes.get("style") ?? "")) values.set(key, value);
  for (const [key, value] of values) {
    if (WITHOUT_EFFECT.test(key)) continue;
    const format = known.get(key) ?? refuse(`must not have ${named(key)} in ${named(name)}`);
    const text = format(value) ?? refuse(`has a value of ${named(key)} that is not accepted`);
    written.push(`${key}="${text}"`);
  }
  return `<${[name, ...written].join(" ")}>`;
}

/** `fill:red;stroke:none`, the looks that are attributes too. */
function declarations(style: string): (readonly [string, string])[] {
  return style
    .split(";")
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const at = part.indexOf(":");
      const key = part.slice(0, Math.max(0, at)).trim();
      if (!LOOKS.has(key) && key !== "enable-background") refuse(`must not have ${named(key)} in a style`);
      return [key, part.slice(at + 1)] as const;
    });
}

/** The root's attributes: its part of the plane, from which its size comes. */
function rootOf(attributes: Attributes): string[] {
  if (attributes.get("xmlns") !== NAMESPACE) refuse(`must have xmlns="${NAMESPACE}"`);
  const size = ["width", "height"].map((side) => length(attributes.get(side) ?? ""));
  const box = numbers(attributes.get("viewBox") ?? `0 0 ${size.map((side) => side ?? "?").join(" ")}`);
  if (box?.length !== 4) return refuse("must have a `viewBox` of four numbers");
  const [width, height] = [Number(box[2]), Number(box[3])];
  const longer = Math.max(width, height);
  if (!(Math.min(width, height) > 0) || longer > MOST_RATIO * Math.min(width, height))
    refuse(`must have two sides, the longer at most ${MOST_RATIO} times the other`);
  const pixels = (side: number) => String(Number(((side / longer) * SIDE).toFixed(1)));
  return [
    `xmlns="${NAMESPACE}"`,
    `viewBox="${box.join(" ")}"`,
    `width="${pixels(width)}"`,
    `height="${pixels(height)}"`,
  ];
}

/** The drawing written anew, in ASCII; or what is wrong with it, as the end of a sentence. */
export function safeSvg(bytes: Uint8Array): { readonly text: string } | { readonly problem: string } {
  try {
    // U+FEFF at the beginning is left out by the decoder.
    return { text: new Drawing(new TextDecoder("utf-8", { fatal: true }).decode(bytes)).read() };
  } catch (error) {
    if (error instanceof Unsafe) return { problem: error.message };
    if (error instanceof TypeError) return { problem: "must be text in UTF-8" };
    throw error;
  }
}
