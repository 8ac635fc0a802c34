import type { Client, Reply } from "./client.ts";

/** What a run may do, and what it needs beside the address. */
export type Target = {
  readonly client: Client;
  /** A credential that may read transactions and nothing else; null: none was given. */
  readonly restricted: Client | null;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Checks may send money out. */
  readonly money: boolean;
  /** Deliveries can reach this machine. */
  readonly webhooks: boolean;
  /** How long a delivery is waited for; left out: half a minute. */
  readonly withinMs?: number;
};

/** One rule of the interface, proved from outside. */
export type Check = {
  /** `charges.minimum`: unique, for reports and `--only`. */
  readonly id: string;
  /** The interface's sentence, or row of a table, that the check proves. */
  readonly sentence: string;
  /** Throws `Broken` where the rule does not hold, `Skip` where it cannot be proved here. */
  run(target: Target): Promise<void>;
};

/** The implementation breaks a rule of the interface. */
export class Broken extends Error {
  override readonly name: string = "Broken";
}
/** The check cannot run against this implementation; the message gives the reason. */
export class Skip extends Error {
  override readonly name: string = "Skip";
}

export const check = (id: string, sentence: string, run: Check["run"]): Check => ({ id, sentence, run });

/** Fails the check unless the value is truthy; `what` is the failure's message. */
export function must(holds: unknown, what: string): asserts holds {
  if (!holds) throw new Broken(what);
}

/** Fails the check unless the reply has one of these statuses. */
export function mustAnswer(reply: Reply, ...statuses: readonly number[]): void {
  must(
    statuses.includes(reply.status),
    `${reply.request} answered ${reply.status}, not ${statuses.join(" or ")}: ${cut(reply.text)}`,
  );
}

const ERROR_NAMES: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
};

/** Fails the check unless the reply is the standard error of a status. */
export function mustRefuse(reply: Reply, status: number): void {
  mustAnswer(reply, status);
  const { statusCode, error, message, timestamp } = reply.body;
  must(statusCode === status, `statusCode is ${String(statusCode)} in an answer with status ${status}`);
  const name = ERROR_NAMES[status];
  if (name !== undefined) must(error === name, `error is ${JSON.stringify(error)}, not "${name}"`);
  must(typeof message === "string" && message !== "", "message is not a text");
  must(isTime(timestamp), `timestamp is ${JSON.stringify(timestamp)}, not ISO 8601`);
}

/** Fails the check unless the reply is a success, of whatever status. */
export function mustSucceed(reply: Reply): void {
  must(reply.status >= 200 && reply.status < 300, `${reply.request} answered ${reply.status}: ${cut(reply.text)}`);
}

/** Fails the check unless the reply is the standard error of a status, with a machine code somewhere in it. */
export function mustRefuseWith(reply: Reply, status: number, code: string): void {
  mustRefuse(reply, status);
  must(reply.text.includes(`"${code}"`), `the code ${code} is missing: ${cut(reply.text)}`);
}

/** Fails the check unless the field of an object passes the test. */
export function mustHave(
  body: Record<string, unknown>,
  field: string,
  kind: string,
  is: (value: unknown) => boolean,
): void {
  must(is(body[field]), `${field} is ${JSON.stringify(body[field])}, not ${kind}`);
}

export const isUuid = (value: unknown): boolean =>
  typeof value === "string" && /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value);
export const isTime = (value: unknown): boolean =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value) && !Number.isNaN(Date.parse(value));
export const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
export const isNumber = (value: unknown): boolean => typeof value === "number";
export const isOneOf =
  (...values: readonly unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value);

/** An amount of the wire in centavos; NaN where it is no number. */
export const centavos = (brl: unknown): number => (typeof brl === "number" ? Math.round(brl * 100) : Number.NaN);

const cut = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}…` : text);
