/** What a command is about to do, in fields that a person can check. */
import { PermissionError } from "../../../sdk/src/index.ts";
import { type Action, type Given, methodOf, withWords } from "./actions/action.ts";
import type { Effect } from "./confirm.ts";
import { addressOf, connectMerchant, connectOperator, type Side } from "./connect.ts";
import { operationOf, schemasOf, withCentavos } from "./money.ts";

type Row = Readonly<Record<string, unknown>>;
type Line = {
  readonly name: string;
  readonly action: Action;
  /** Words that follow the verb, encoded for a path. */
  readonly words: readonly string[];
  readonly path: string;
  readonly body: Row;
  readonly given: Given;
  readonly whom: Parameters<typeof connectOperator>[2] & object;
};

export const apiOf = ({ api }: Action): Side => api ?? "operator";

/** Null: the command needs no confirmation. */
export function effectOf({ name, action, words, path, body, given, whom }: Line): Effect | null {
  const { asks } = action;
  if (asks === undefined || asks.when?.(body) === false) return null;
  const side = apiOf(action);
  const [env, cwd] = [process.env, process.cwd()];
  const final = asks.final ?? operationOf({ side, method: methodOf(action), path })?.["x-final"];
  if (final === undefined) throw new Error(`${name}: neither the command nor the document says what is final`);
  return { command: name, says: action.description, final, read };

  async function read(): Promise<Row> {
    const { body: schema } = schemasOf({ side, method: methodOf(action), path });
    const pathValues = (action.takes ?? []).map((word, i) => [word, decodeURIComponent(words[i] ?? "")]);
    const facts = await Promise.all(asks!.about.map(async ([label, of, fields]) => [label, await about(of, fields)]));
    return {
      at: addressOf(side, env, cwd, whom),
      ...(whom.wallet === undefined ? {} : { "sub-account": whom.wallet }),
      ...Object.fromEntries(pathValues),
      ...(withCentavos(side, schema, body) as Row),
      ...Object.fromEntries(facts),
    };
  }

  async function about(of: string, fields: readonly string[]): Promise<unknown> {
    const flags = of.replace(/\{([a-z]\w*)\}/g, (_, flag: string) => encodeURIComponent(String(given[flag] ?? "")));
    const request = { method: "GET", path: withWords(flags, words) } as const;
    const client = side === "merchant" ? connectMerchant(env, cwd, whom) : connectOperator(env, cwd, whom);
    try {
      const { answer } = schemasOf({ side, ...request });
      return picked(withCentavos(side, answer, await client.request<unknown>(request)), fields);
    } catch (error) {
      if (error instanceof PermissionError) return "your role may not read it";
      throw error;
    }
  }
}

/** Some fields of an answer, by names with dots; missing ones are left out. */
function picked(answer: unknown, fields: readonly string[]): Row {
  const facts = fields.map((name) => {
    const value = name.split(".").reduce<unknown>((at, field) => (at as Row | undefined)?.[field], answer);
    return [name, value] as const;
  });
  return Object.fromEntries(facts.filter(([, value]) => value !== undefined && value !== null));
}
