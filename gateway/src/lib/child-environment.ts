/**
 * The environment of child processes: never the master key, the database's address or another program's secret, all of
 * which a gateway has.
 */

/** Variables for finding programs and temporary files, for times and texts, and for the cache of compiled code. */
const NEEDED = ["PATH", "HOME", "TMPDIR", "TZ", "LANG", "LC_ALL", "NODE_COMPILE_CACHE"] as const;
/** Settings of the gateway and of its database. */
const OURS = /^(PIXGATE_|PG)|^DATABASE_URL$/;

/** For one of our programs: what it needs, and nothing else. */
export const neededEnvironment = (env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv =>
  Object.fromEntries(NEEDED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));

/** For a program of the operator, which may need any setting: everything except ours. */
export const foreignEnvironment = (env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !OURS.test(name)));
