import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { replaceFile } from "../lib/replace-file.ts";
import { CliError } from "./error.ts";

/** A gateway, and who calls it: an account by its credential, an operator by his token, or both. */
export type Profile = {
  /** Address of the gateway, without `/v2`. */
  readonly url: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly operatorToken?: string;
};
type Profiles = { readonly current: string | null; readonly profiles: Readonly<Record<string, Profile>> };

const NONE: Profiles = { current: null, profiles: {} };

/** Where profiles are kept: `pixgate/profiles.json` of XDG_CONFIG_HOME, or of `.config` in the home. */
export const profilesFile = (env: NodeJS.ProcessEnv): string =>
  join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config"), "pixgate", "profiles.json");

export function readProfiles(env: NodeJS.ProcessEnv): Profiles {
  const file = profilesFile(env);
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Profiles;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "ENOENT" || code === "ENOTDIR") return NONE;
    // A parser's message would quote the unreadable text, which is a secret.
    throw new CliError(`${file} cannot be read${code === undefined ? ": it is not JSON" : ` (${code})`}`);
  }
}

/** Only its owner may read it: it holds secrets. */
function writeProfiles(env: NodeJS.ProcessEnv, profiles: Profiles): void {
  replaceFile(profilesFile(env), `${JSON.stringify(profiles, null, 2)}\n`);
}

/** The profile of this name; of PIXGATE_PROFILE; or the current one. Null: nobody has logged in. */
export function findProfile(env: NodeJS.ProcessEnv, profileName: string | undefined): Profile | null {
  const { current, profiles } = readProfiles(env);
  const name = profileName ?? (env.PIXGATE_PROFILE || current);
  if (name === null) return null;
  const profile = profiles[name];
  if (profile === undefined)
    throw new CliError(`there is no profile ${name}: pixgate login --profile ${name} makes it`);
  return profile;
}

/** Adds to a profile, and makes it the current one. Another gateway's address drops the earlier one's secrets. */
export function saveProfile(env: NodeJS.ProcessEnv, name: string, profile: Profile): void {
  const { profiles } = readProfiles(env);
  const before = profiles[name]?.url === profile.url ? profiles[name] : {};
  writeProfiles(env, { current: name, profiles: { ...profiles, [name]: { ...before, ...profile } } });
}

export function selectProfile(env: NodeJS.ProcessEnv, name: string): void {
  findProfile(env, name);
  writeProfiles(env, { ...readProfiles(env), current: name });
}

export function removeProfile(env: NodeJS.ProcessEnv, name: string): void {
  findProfile(env, name);
  const { current, profiles } = readProfiles(env);
  const { [name]: _, ...others } = profiles;
  writeProfiles(env, { current: current === name ? null : current, profiles: others });
}
