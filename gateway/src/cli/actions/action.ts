/** What an operator can do, as data: the words of the command line, and the call that they stand for. */
import type { Pixgate } from "../../../../sdk/src/index.ts";
import type { Machine } from "../machine.ts";

/** The values from the command line, by the name of the flag. */
export type Given = Readonly<Record<string, string | boolean | undefined>>;

type MakePath = (words: readonly string[], given: Given) => string;

export type Flag = {
  readonly description: string;
  /** Field of the body, with dots. */
  readonly field?: string;
  /** Parameter of the query. Without this and without `field` the flag is used by `call`. */
  readonly query?: string;
  /**
   * `boolean`: true or false; `number`: BRL or a count, `none` is null; `name`: a text, `none` is null; `list`: by commas;
   * `switch`: has no value. Left out: a text.
   */
  readonly kind?: "number" | "name" | "list" | "boolean" | "switch";
  /** For flags that accept only these values. */
  readonly choices?: readonly string[];
  readonly needed?: true;
  /** Required unless the flag of this name is given. */
  readonly neededWithout?: string;
  /** Changes nothing, so is refused, unless the flag of this name is given. */
  readonly onlyWith?: string;
};

export type Action = {
  readonly description: string;
  /** Words that follow the verb. */
  readonly takes?: readonly string[];
  readonly flags?: Readonly<Record<string, Flag>>;
  /** Method and path; `{0}` is the first word that follows the verb. A function makes the path of a GET. */
  readonly call: `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}` | MakePath;
  /**
   * Further GETs of the same words, whose answers (of a list, its items) are shown beside the first one's fields; one that
   * the role may not read is null.
   */
  readonly also?: Readonly<Record<string, string>>;
  /** Fields of the body that never change. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** The body is a file, `--file`, of one of these media types by the end of its name. */
  readonly uploads?: readonly string[];
  /** Which API it calls; left out: the operator's. */
  readonly api?: "merchant";
  /** For a merchant's action: the operator's action of the same name, over all accounts. */
  readonly operator?: Action;
  /** Another name of the verb. */
  readonly alias?: string;
  /** `--wait` polls until the object of the answer has ended. */
  readonly waits?: Waits | undefined;
  /** A person must confirm it first, or `--yes` does. */
  readonly asks?: Asks;
  /** Columns of a list, for people. */
  readonly columns?: readonly string[];
  /** Only the newest page of a list that can be very long. */
  readonly firstPage?: true;
  /** Media type of an answer that is no JSON. */
  readonly accept?: string;
  /** Media types that the answer has as a file, which `--out` stores, by the end of its name. */
  readonly saves?: readonly string[];
  /** Turns the answer into what is printed, and what `shows` and `fails` get. */
  turns?(answer: unknown, given: Given): unknown;
  /** Whether the API has the answer as CSV too. */
  readonly csv?: true;
  /** For people, where columns and fields are not enough. */
  shows?(result: unknown): string;
  /** Whether the answer makes the exit code 1. */
  fails?(result: unknown): boolean;
  /** The same work on the database of this machine, if that was requested; null: call the API. */
  onMachine?(given: Given, env: NodeJS.ProcessEnv): ((machine: Machine) => Promise<void>) | null;
};

export type Asks = {
  /** What cannot be undone, in a sentence; left out: the document's text about the call (`x-final`). */
  readonly final?: string;
  /**
   * The object, read before: a name, a GET's path (`{0}`: the first word after the verb; `{institution}`: the value of that
   * flag), and fields of its answer, with dots.
   */
  readonly about: readonly (readonly [name: string, path: string, fields: readonly string[]])[];
  /** Whether this body needs a confirmation; left out: every one does. */
  when?(body: Readonly<Record<string, unknown>>): boolean;
};

type Waits = {
  /** What it waits for, for the line of progress. */
  readonly what: string;
  /**
   * The GET whose answer shows the end, by its path in the document; left out: the end has the form of the command's own
   * answer.
   */
  readonly shownBy?: string;
  /** The expected end, such as `completed`; any other end makes the exit code 1. */
  readonly success: string;
  /** The command that continues the wait after Ctrl-C, or shows the result. */
  later(answer: unknown): string;
  ended(pixgate: Pixgate, answer: unknown, signal: AbortSignal): Promise<unknown>;
};

/** A noun of the command line. */
export type WithVerbs = {
  readonly description: string;
  /** Another name of the noun. */
  readonly alias?: string;
  /** The verb that the noun alone stands for. */
  readonly alone?: string;
  readonly verbs: Readonly<Record<string, Action>>;
};

/** A noun with its verbs; or a word that is a command by itself. */
export type Noun = WithVerbs | Action;

export const methodOf = ({ call }: Action): string => (typeof call === "string" ? call.split(" ", 1)[0]! : "GET");

/** Whether it has a body, which `--data` can give. */
export const hasBody = (action: Action): boolean => !["GET", "DELETE"].includes(methodOf(action));

/** The path of a call, with the words of the command line in it. */
export function pathOf({ call, flags = {} }: Action, words: readonly string[], given: Given): string {
  if (typeof call !== "string") return call(words, given);
  const path = withWords(call.slice(call.indexOf("/")), words);
  const query = Object.entries(flags).flatMap(([name, { query: parameter }]) => {
    const value = given[name];
    return parameter === undefined || value === undefined ? [] : [[parameter, String(value)] as [string, string]];
  });
  if (query.length === 0) return path;
  return `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams(query)}`;
}

/** A path with the words of the command line in it. */
export const withWords = (path: string, words: readonly string[]): string =>
  path.replace(/\{(\d)\}/g, (_, i) => words[Number(i)] ?? "");
