/**
 * Values of SVG attributes, read and written anew: each function returns the text that is stored, or null for a value that we
 * do not know.
 */

type Value = (text: string) => string | null;

/** Largest number, either way: a drawing needs no more, and renderers count in 32 bits. */
const MOST = 100_000;
const NUMBER = /[+-]?(?:\d{1,12}(?:\.\d{0,24})?|\.\d{1,24})(?:[eE][+-]?\d{1,2})?/y;
const COMMA = /[\s]*,?[\s]*/y;

/** A number as it is stored: three decimals are a thousandth of the drawing's unit. */
const written = (value: number): string => String(Number(value.toFixed(3)) + 0);

/** Reads a text from its beginning to its end. */
class Reader {
  at = 0;
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  take(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found === undefined) return null;
    this.at += found.length;
    return found;
  }

  /** The next number as it is stored. */
  number(): string | null {
    const found = this.take(NUMBER);
    const value = Number(found);
    return found === null || Math.abs(value) > MOST ? null : written(value);
  }

  get isOver(): boolean {
    return this.at === this.text.length;
  }
}

/** Numbers with commas or spaces between them; null where one is none, or a comma too many. */
export function numbers(text: string): string[] | null {
  const reader = new Reader(text.trim());
  const found: string[] = [];
  while (!reader.isOver) {
    if (found.length > 0) reader.take(COMMA);
    const value = reader.number();
    if (value === null) return null;
    found.push(value);
  }
  return found;
}

/** A length in the drawing's units; `px` is the same. */
export const length: Value = (text) => {
  const found = numbers(text.trim().replace(/px$/, ""));
  return found?.length === 1 ? found[0]! : null;
};

/** A length, or a part of the drawing. */
const lengthOrPart: Value = (text) => {
  const part = /^(.*)%$/.exec(text.trim());
  if (part === null) return length(text);
  const value = length(part[1]!);
  return value === null ? null : `${value}%`;
};

/** 0 to 1, or 0 % to 100 %. */
const opacity: Value = (text) => {
  const value = lengthOrPart(text);
  if (value === null) return null;
  const share = value.endsWith("%") ? Number(value.slice(0, -1)) / 100 : Number(value);
  return written(Math.min(1, Math.max(0, share)));
};

/** A separator has a comma or is spaces alone, so that no run of spaces can match in two ways. */
const RGB = /^rgb\(\s*(\d{1,3})(?:\s*,\s*|\s+)(\d{1,3})(?:\s*,\s*|\s+)(\d{1,3})\s*\)$/;
/** Characters of a colour. */
const MOST_PAINT = 64;

/** A colour: hexadecimal, `rgb()`, or a name, which is letters alone. No `url()`. */
const paint: Value = (text) => {
  const value = text.trim().toLowerCase();
  if (value.length > MOST_PAINT) return null;
  if (/^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.test(value) || /^[a-z]{3,22}$/.test(value)) return value;
  const parts = RGB.exec(value)?.slice(1).map(Number);
  if (!parts || parts.some((part) => part > 255)) return null;
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
};

const oneOf =
  (...words: readonly string[]): Value =>
  (text) =>
    words.find((word) => word === text.trim()) ?? null;

const list: Value = (text) => numbers(text)?.join(" ") ?? null;
const dashes: Value = (text) => (text.trim() === "none" ? "none" : list(text));

/** How many numbers each command of a path takes. */
const ARGUMENTS: Readonly<Record<string, number>> = { M: 2, L: 2, H: 1, V: 1, C: 6, S: 4, Q: 4, T: 2, A: 7, Z: 0 };

/** A path, each command with its letter. The two flags of an arc may stand without a space between them. */
const path: Value = (text) => {
  const reader = new Reader(text.trim());
  const parts: string[] = [];
  let command = "";
  while (!reader.isOver) {
    reader.take(COMMA);
    const letter = reader.take(/[MmLlHhVvCcSsQqTtAaZz]/y);
    if (letter === null && (command === "" || /z/i.test(command))) return null;
    command = letter ?? command;
    const kind = command.toUpperCase();
    if (parts.length === 0 && kind !== "M") return null;
    const values: string[] = [];
    for (let index = 0; index < ARGUMENTS[kind]!; index += 1) {
      reader.take(COMMA);
      const isFlag = kind === "A" && (index === 3 || index === 4);
      const value = isFlag ? reader.take(/[01]/y) : reader.number();
      if (value === null) return null;
      values.push(value);
    }
    parts.push(command + values.join(" "));
    // Further numbers after those of a move draw lines.
    if (kind === "M") command = command === "M" ? "L" : "l";
    reader.take(/\s*/y);
  }
  return parts.join("");
};

/** How many numbers each function of a transform takes. */
const FUNCTIONS: Readonly<Record<string, readonly number[]>> = {
  matrix: [6],
  translate: [1, 2],
  scale: [1, 2],
  rotate: [1, 3],
  skewX: [1],
  skewY: [1],
};

const transform: Value = (text) => {
  const reader = new Reader(text.trim());
  const parts: string[] = [];
  while (!reader.isOver) {
    const call = /^([a-zA-Z]{1,9})\s*\(([^()]*)\)$/.exec(reader.take(/[a-zA-Z]{1,9}\s*\([^()]*\)/y) ?? "");
    const values = call && numbers(call[2]!);
    if (!values || !(Object.hasOwn(FUNCTIONS, call[1]!) && FUNCTIONS[call[1]!]!.includes(values.length))) return null;
    parts.push(`${call[1]}(${values.join(" ")})`);
    reader.take(COMMA);
  }
  return parts.join("");
};

/** Attributes of every element that is kept. */
export const LOOKS: ReadonlyMap<string, Value> = new Map([
  ["fill", paint],
  ["stroke", paint],
  ["color", paint],
  ["opacity", opacity],
  ["fill-opacity", opacity],
  ["stroke-opacity", opacity],
  ["fill-rule", oneOf("nonzero", "evenodd")],
  ["clip-rule", oneOf("nonzero", "evenodd")],
  ["stroke-width", lengthOrPart],
  ["stroke-linecap", oneOf("butt", "round", "square")],
  ["stroke-linejoin", oneOf("miter", "round", "bevel")],
  ["stroke-miterlimit", length],
  ["stroke-dasharray", dashes],
  ["stroke-dashoffset", lengthOrPart],
  ["transform", transform],
]);

const shape = (...names: readonly string[]): ReadonlyMap<string, Value> =>
  new Map([...LOOKS, ...names.map((name) => [name, lengthOrPart] as const)]);

/** Elements that are kept, with their attributes. */
export const ELEMENTS: ReadonlyMap<string, ReadonlyMap<string, Value>> = new Map([
  ["svg", LOOKS],
  ["g", LOOKS],
  ["path", new Map([...LOOKS, ["d", path]])],
  ["rect", shape("x", "y", "width", "height", "rx", "ry")],
  ["circle", shape("cx", "cy", "r")],
  ["ellipse", shape("cx", "cy", "rx", "ry")],
  ["line", shape("x1", "y1", "x2", "y2")],
  ["polyline", new Map([...LOOKS, ["points", list]])],
  ["polygon", new Map([...LOOKS, ["points", list]])],
]);
