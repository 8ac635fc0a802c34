import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { CliError } from "../cli/error.ts";
import type { Machine } from "../cli/machine.ts";
import { withProgress } from "../cli/progress.ts";
import { showSpread, showTime, showVerified } from "../cli/show.ts";
import { type Context, systemClock } from "../context.ts";
import { useCluster } from "../db/cluster/map.ts";
import { checkSchema, migrate } from "../db/migrate.ts";
import { type Db, openDb } from "../db/pool.ts";
import { databaseProblem } from "../db/problem.ts";
import { GATEWAY_ROLE, openRole } from "../db/rights.ts";
import type { Role } from "../http/roles.ts";
import { ConfigError } from "../lib/config-error.ts";
import { createIds } from "../lib/ids.ts";
import { type Config, readConfig, settingNames } from "../settings/config.ts";
import { readMasterKey } from "./installation/master-key.ts";
import { runGateway } from "./run-gateway.ts";

/** Works on DATABASE_URL; prints the result for people, or as JSON. */
async function onDatabase<T>(json: boolean, work: (db: Db, config: Config) => Promise<T>, say: (result: T) => string) {
  const config = readConfig(process.env);
  if (config.databaseUrl === null) throw new ConfigError("this command needs DATABASE_URL");
  const db = openDb({ url: config.databaseUrl, max: 1, onError: () => {} });
  try {
    await useCluster(db);
    const result = await withProgress("working on the database", () => work(db, config));
    process.stdout.write(`${json ? JSON.stringify(result, null, 2) : say(result)}\n`);
    return result;
  } finally {
    await db.end();
  }
}

const migrateDatabase = (json: boolean) =>
  onDatabase(
    json,
    async (db, { databaseUrl, gatewayPassword }) => {
      const done = await migrate(db, systemClock.date);
      if (gatewayPassword !== null && done.role !== "missing") await openRole(db, databaseUrl!, gatewayPassword);
      return done;
    },
    ({ applied, role, spread }) =>
      [
        applied.length === 0 ? "The schema is up to date." : `Applied: ${applied.join(", ")}`,
        ...(spread === null ? [] : [showSpread(spread)]),
        ...(role === "granted" ? [`The role ${GATEWAY_ROLE} has its rights.`] : []),
        ...(role === "missing"
          ? [
              `There is no role ${GATEWAY_ROLE}, and this user may not make one: docs/operating.md, "The database's roles".`,
            ]
          : []),
      ].join("\n"),
  );

/** A command on an installation's database, which is prepared here if no gateway has been started yet. */
type OfInstallation = {
  readonly ctx: Pick<Context, "config" | "db" | "clock" | "ids">;
  readonly master: { readonly key: Buffer; readonly other: Buffer | null };
};

/** @throws ConfigError without the master key, DatabaseRefused without the schema. */
async function installationOf(db: Db, config: Config): Promise<OfInstallation> {
  // A key made here would differ from the gateway's.
  if (!config.secretKey && !existsSync(join(config.dataDir, "secret.key"))) {
    throw new ConfigError(
      "this command needs the master key: PIXGATE_SECRET_KEY, or the data directory with secret.key",
    );
  }
  await checkSchema(db);
  const random = (bytes: number) => randomBytes(bytes);
  const ctx = { config, db, clock: systemClock, ids: createIds({ now: systemClock.now, random }) };
  return { ctx, master: { key: readMasterKey(config, random), other: config.otherSecretKey } };
}

async function createToken(
  { name, role, days }: { readonly name: string; readonly role: string; readonly days: number | null },
  json: boolean,
): Promise<void> {
  const { ROLES } = await import("../http/roles.ts");
  if (!ROLES.includes(role as Role)) throw new ConfigError(`--role must be one of ${ROLES.join(", ")}, not "${role}"`);
  await onDatabase(
    json,
    async (db, config) => {
      const { ctx, master } = await installationOf(db, config);
      const { makeFirstToken } = await import("./installation/first-token.ts");
      return makeFirstToken(ctx, master, {
        ...{ name, role: role as Role },
        ...(days !== null && { expiresInDays: days }),
      });
    },
    ({ token, expiresAt }) =>
      `${token}\n\nIt is shown this once. Role ${role}, name ${name}, ends at ${showTime(expiresAt)}.`,
  );
}

/** Prints a link to the console that signs its user in. */
async function printLink(
  json: boolean,
  says: string,
  make: (of: OfInstallation) => Promise<{ readonly link: string; readonly expiresAt: string }>,
): Promise<void> {
  await onDatabase(
    json,
    async (db, config) => {
      if (config.environment === "production" && config.publicUrl === null) {
        throw new ConfigError("this command needs PIXGATE_PUBLIC_URL: the address with which the link begins");
      }
      return make(await installationOf(db, config));
    },
    ({ link, expiresAt }) => `${link}\n\nIt is shown this once and works once, until ${showTime(expiresAt)}: ${says}`,
  );
}

const invitePerson = (person: { readonly email: string; readonly name: string | null }, json: boolean) =>
  printLink(json, `whoever opens it becomes the admin ${person.email}.`, async ({ ctx, master }) =>
    (await import("./installation/on-machine.ts")).inviteAdmin(ctx, master, person),
  );

const recoverPerson = (email: string, json: boolean) =>
  printLink(json, `whoever opens it is ${email}, and chooses a new password.`, async ({ ctx, master }) =>
    (await import("./installation/on-machine.ts")).recoverOnMachine(ctx, master, email),
  );

async function rotate(json: boolean): Promise<void> {
  await onDatabase(
    json,
    async (db, { secretKey, otherSecretKey }) => {
      if (!secretKey || !otherSecretKey) {
        throw new ConfigError("this needs PIXGATE_SECRET_KEY, the new key, and PIXGATE_SECRET_KEY_OTHER, the old one");
      }
      await checkSchema(db);
      const { rotateMasterKey } = await import("./installation/rotate-master-key.ts");
      return rotateMasterKey(db, secretKey, otherSecretKey);
    },
    ({ institutions, endpoints, checkouts, authenticators, evidence, consoleFiles }) =>
      `Sealed anew: ${institutions} institutions, ${endpoints} webhook endpoints, ${checkouts} checkout secrets, ${authenticators} authenticators, ${evidence} files of disputes, ${consoleFiles} files of the console. The database now belongs to PIXGATE_SECRET_KEY.`,
  );
}

async function runDoctor(json: boolean): Promise<void> {
  const { examine } = await import("./doctor/examine.ts");
  const checks = await examine({
    config: readConfig(process.env),
    env: process.env,
    settings: settingNames(),
    clock: systemClock,
    explain: databaseProblem,
  });
  const isSound = checks.every(({ state }) => state !== "wrong");
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.map(({ name, state, found }) => `${state.padEnd(7)}  ${name.padEnd(width)}  ${found}`);
  process.stdout.write(`${json ? JSON.stringify({ ok: isSound, checks }, null, 2) : lines.join("\n")}\n`);
  if (!isSound) process.exitCode = 1;
}

/** Writes the files of an installation, and prints what to do with them. */
async function writeInstallation(options: Parameters<Machine["init"]>[0], json: boolean): Promise<void> {
  const { initInstallation, showWritten } = await import("./installation/init.ts");
  const written = initInstallation(options);
  process.stdout.write(`${json ? JSON.stringify(written, null, 2) : showWritten(written)}\n`);
}

async function printOpenApi(operator: boolean): Promise<void> {
  const [{ describeApi }, { documentText }] = await Promise.all([
    import("./describe.ts"),
    import("../http/openapi.ts"),
  ]);
  const documents = await describeApi(readConfig({}));
  process.stdout.write(documentText(operator ? documents.operator : documents.merchant));
}

async function verifyDatabase(json: boolean): Promise<void> {
  const work = async (db: Db) => {
    await checkSchema(db);
    const { verifyBooks } = await import("../auditor/verify-books.ts");
    return verifyBooks(db);
  };
  if (!(await onDatabase(json, work, showVerified)).ok) process.exitCode = 1;
}

/** Runs a command. An expected error becomes a line without a stack. */
async function foreseen(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const database = databaseProblem(error);
    if (database !== null) throw new CliError(`PostgreSQL cannot be worked with: ${database}`);
    // By name, so that a command does not load the modules of these errors.
    const says = ["ConfigError", "DatabaseRefused", "ApiError", "EmbeddedPostgresError"].includes(
      (error as Error)?.name,
    );
    throw says ? new CliError((error as Error).message) : error;
  }
}

/** The commands that run in this process. Each loads by itself what no other one needs. */
export const machine: Machine = {
  serve: (role) => foreseen(() => runGateway(role)),
  doctor: (json) => foreseen(() => runDoctor(json)),
  init: (options, json) => foreseen(() => writeInstallation(options, json)),
  migrate: (json) => foreseen(() => migrateDatabase(json)),
  verify: (json) => foreseen(() => verifyDatabase(json)),
  printOpenApi: (operator) => foreseen(() => printOpenApi(operator)),
  createToken: (token, json) => foreseen(() => createToken(token, json)),
  invitePerson: (person, json) => foreseen(() => invitePerson(person, json)),
  recoverPerson: (email, json) => foreseen(() => recoverPerson(email, json)),
  rotateMasterKey: (json) => foreseen(() => rotate(json)),
  causeOf: async (kind) => (await import("./events.ts")).EVENTS[kind],
};
