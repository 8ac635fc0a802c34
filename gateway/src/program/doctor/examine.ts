import { findBuild } from "../../http/console/find-build.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Config } from "../../settings/config.ts";
import { productionProblems } from "../installation/production.ts";
import { type Check, ok, warning, wrong } from "./check.ts";
import { checkDatabase } from "./check-database.ts";
import { checkMachine } from "./check-machine.ts";
import { checkNames } from "./check-names.ts";

/** The parameters of `examine`. */
type Patient = {
  readonly config: Config;
  /** Where the configuration was read. */
  readonly env: NodeJS.ProcessEnv;
  /** What a configuration may have (`settingNames`). */
  readonly settings: ReadonlySet<string>;
  readonly clock: Clock;
  /** What an error of the database's connection means; null for any other error. */
  readonly explain: (error: unknown) => string | null;
};

/** Describes what is wrong with this machine or configuration. Changes nothing, so a gateway may run at the same time. */
export async function examine({ config, env, settings, clock, explain }: Patient): Promise<Check[]> {
  const problems = productionProblems(config);
  return [
    ...(problems.length === 0
      ? [ok("settings", config.environment === "production" ? "for production" : "for a sandbox")]
      : problems.map((problem) => wrong("settings", problem))),
    ...checkNames(env, settings),
    ...(await checkMachine(config)),
    ...(config.databaseUrl === null ? [] : await checkDatabase({ config, url: config.databaseUrl, clock, explain })),
    await checkConsole(config),
  ];
}

async function checkConsole({ environment }: Config): Promise<Check> {
  if ((await findBuild()) !== null) return ok("console", "it is built");
  return environment === "production"
    ? warning("console", "it is not built, and /console answers 404: node console/build.ts")
    : ok("console", "the start of a sandbox builds it");
}
