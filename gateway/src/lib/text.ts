/** Requirements for texts and parsed JSON before anything is stored or hashed. */

/** Deepest nesting of a JSON value; a deeper body is refused. No body of the API needs six levels. */
const MAX_DEPTH = 32;

/** What is wrong with a value, and where: `items[2].name`; the empty path is the value itself. */
type TextProblem = { readonly path: string; readonly message: string };

/**
 * The first problem of a parsed JSON value that must not be stored, including its keys: a NUL (PostgreSQL cannot store it),
 * a lone surrogate (UTF-8 cannot encode it), a number that JSON can write and a double cannot hold (`1e400` is read as
 * Infinity and would be written as null), or nesting beyond 32 levels.
 */
export function findTextProblem(value: unknown): TextProblem | null {
  return walk(value, 0);
}

/** The path is built on the way back, only for a problem: a path for each value took longer than the walk. */
function walk(value: unknown, depth: number): TextProblem | null {
  if (typeof value === "string") {
    const message = wrongWith(value);
    return message === null ? null : { path: "", message };
  }
  if (typeof value === "number" && !Number.isFinite(value)) {
    return { path: "", message: "is a number too large for a double" };
  }
  if (typeof value !== "object" || value === null) return null;
  if (depth >= MAX_DEPTH) return { path: "", message: `is nested deeper than ${MAX_DEPTH} levels` };

  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i += 1) {
      const problem = walk(value[i], depth + 1);
      if (problem !== null) return below(`[${i}]`, problem);
    }
    return null;
  }
  for (const key of Object.keys(value)) {
    const message = wrongWith(key);
    // The key itself is not shown: its problem would also be one in the answer.
    if (message !== null) return { path: "", message: `has a key that ${message}` };
    const problem = walk((value as Record<string, unknown>)[key], depth + 1);
    if (problem !== null) return below(key, problem);
  }
  return null;
}

const below = (step: string, { path, message }: TextProblem): TextProblem => ({
  path: path === "" || path.startsWith("[") ? `${step}${path}` : `${step}.${path}`,
  message,
});

function wrongWith(text: string): string | null {
  if (text.includes("\0")) return "contains a NUL character";
  return text.isWellFormed() ? null : "contains a lone surrogate";
}

/** The first `max` code points of `text`: no surrogate pair is cut. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text; // as many code points as units, or fewer
  let end = 0;
  for (let points = 0; points < max && end < text.length; points += 1) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

/**
 * A parsed JSON value as text that does not depend on the order of keys. It is hashed to tell whether a repeated request is
 * the same. `1` and `"1"` differ, `1` and `1.0` do not. Throws for nesting beyond 32 levels (`findTextProblem` comes first)
 * and for values that JSON does not have.
 */
export function canonicalJson(value: unknown): string {
  return canonical(value, 0);
}

function canonical(value: unknown, depth: number): string {
  if (value === null || typeof value === "string" || typeof value === "boolean") return JSON.stringify(value);
  if (typeof value === "number" && Number.isFinite(value)) return JSON.stringify(value);
  if (typeof value !== "object") throw new TypeError(`not a JSON value: ${typeof value}`);
  if (depth >= MAX_DEPTH) throw new RangeError(`JSON nested deeper than ${MAX_DEPTH} levels`);

  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(",")}]`;
  const record = value as Record<string, unknown>;
  // A key `__proto__` that JSON.parse made is an own property, so reading it gives the value, not the prototype.
  const members = Object.keys(record)
    .filter((key) => record[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(record[key], depth + 1)}`);
  return `{${members.join(",")}}`;
}
