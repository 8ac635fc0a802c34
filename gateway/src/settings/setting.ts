/** Reads settings of the environment. An error is one line that names the setting. */

import { ConfigError } from "../lib/config-error.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Longest line about a setting: if a file's content is set in place of its path, the error must not print all of it. */
const LONGEST_LINE = 300;

/** Runs a reader, and turns whatever it throws into one line, whatever value it quotes. */
export function asOneLine<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const text = (error as Error).message.replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
    throw new ConfigError(text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE - 1)}…` : text);
  }
}

export function checked<T>(read: () => T, before = ""): T {
  try {
    return read();
  } catch (error) {
    throw new ConfigError(before + (error as Error).message);
  }
}

/** One of a few values. */
export function readWord<const Word extends string>(env: Env, name: string, words: readonly Word[]): Word | null {
  const value = env[name];
  if (!value) return null;
  const word = words.find((candidate) => candidate === value);
  if (word !== undefined) return word;
  throw new ConfigError(`${name} must be ${words.slice(0, -1).join(", ")} or ${words.at(-1)}, not "${value}"`);
}

export function readCount(env: Env, name: string, fallback: number, least = 1): number {
  const value = env[name];
  if (!value) return fallback;
  if (/^[1-9]\d{0,6}$/.test(value) && Number(value) >= least) return Number(value);
  throw new ConfigError(`${name} must be a number from ${least} to 9999999, not "${value}"`);
}

export function readPort(env: Env, name: string, fallback: number): number {
  const value = env[name];
  if (!value) return fallback;
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new ConfigError(`${name} must be a port from 0 to 65535, not "${value}"`);
}

/** An http or https address, without a slash at its end. */
export function readUrl(env: Env, name: string): string | null {
  const value = env[name];
  if (!value) return null;
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new ConfigError(`${name} must be an http or https address`);
  }
  return value.replace(/(?<!\/)\/+$/, "");
}

/** A host's name or address. Whether this machine has it is known only when it listens. */
export function readHost(env: Env, name: string, fallback: string): string {
  const value = env[name];
  if (!value) return fallback;
  if (/^[0-9a-z](?:[0-9a-z.:%_-]{0,251}[0-9a-z])?$|^[0-9a-f]{0,4}::?[0-9a-f:.]*$/i.test(value)) return value;
  throw new ConfigError(`${name} must be a host's name or address, not "${value}"`);
}

/** A path that a file system can have. */
export function readPath(env: Env, name: string, fallback: string): string {
  const value = env[name];
  if (!value) return fallback;
  if (value.trim() === value && !/\p{Cc}/u.test(value) && Buffer.byteLength(value) < 4_096) return value;
  throw new ConfigError(`${name} must be a path, not "${value}"`);
}

/** The address of a PostgreSQL. It may contain a password, so it is not quoted. */
export function readDatabaseUrl(env: Env, name: string): string | null {
  const value = env[name];
  if (!value) return null;
  if (!/^postgres(ql)?:\/\//.test(value)) {
    throw new ConfigError(`${name} must begin with postgres:// or postgresql://`);
  }
  // Without a host the driver would use PGHOST; it cannot read a list of hosts.
  if (!URL.canParse(value) && !URL.canParse(value.replace("://", "://localhost"))) {
    throw new ConfigError(`${name} is no address: postgres://user:password@host:5432/database`);
  }
  return value;
}
