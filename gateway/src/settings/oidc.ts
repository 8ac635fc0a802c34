import { readFileSync } from "node:fs";

/** How people sign in at the company's OpenID Connect provider. */
export type OidcSettings = {
  /** The provider's own name in its metadata. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The exact address to which the provider sends the browser back. */
  readonly redirectUri: string;
  /** The claim with the e-mail address; for `email` the provider must confirm that it is verified. */
  readonly emailClaim: string;
  /**
   * The claim that decides the role in the installation, with the meaning of its values, the strongest first; null: roles
   * are given here.
   */
  readonly roles: { readonly claim: string; readonly of: readonly (readonly [value: string, role: string])[] } | null;
  /** Whether a person who was not invited may sign in and be created. */
  readonly signUp: boolean;
  /** Whether signing in by password or passkey is disabled. */
  readonly only: boolean;
};

const NAMES = [
  "PIXGATE_OIDC_ISSUER",
  "PIXGATE_OIDC_CLIENT_ID",
  "PIXGATE_OIDC_CLIENT_SECRET",
  "PIXGATE_OIDC_CLIENT_SECRET_FILE",
  "PIXGATE_OIDC_EMAIL_CLAIM",
  "PIXGATE_OIDC_ROLE_CLAIM",
  "PIXGATE_OIDC_ROLES",
  "PIXGATE_OIDC_SIGN_UP",
  "PIXGATE_OIDC_ONLY",
];
const ROLES = ["admin", "finance", "support", "auditor"];
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Reads the settings `PIXGATE_OIDC_…`; null: there is no provider.
 *
 * @throws Error that names the setting and never the secret.
 */
export function readOidc(env: NodeJS.ProcessEnv, publicUrl: string | null): OidcSettings | null {
  const given = Object.fromEntries(NAMES.map((name) => [name, env[name]]));
  const issuer = given.PIXGATE_OIDC_ISSUER;
  if (!issuer) {
    const lonely = NAMES.find((name) => given[name]);
    if (lonely !== undefined) throw new Error(`${lonely} is set without PIXGATE_OIDC_ISSUER`);
    return null;
  }
  if (!URL.canParse(issuer)) throw new Error("PIXGATE_OIDC_ISSUER must be an address");
  const { protocol, hostname } = new URL(issuer);
  if (protocol !== "https:" && !(protocol === "http:" && LOOPBACK.test(hostname))) {
    throw new Error("PIXGATE_OIDC_ISSUER must be an https address");
  }
  if (publicUrl === null)
    throw new Error("PIXGATE_OIDC_ISSUER needs PIXGATE_PUBLIC_URL, where the provider sends people back to");
  return Object.freeze({
    ...{ issuer, clientId: required(given, "PIXGATE_OIDC_CLIENT_ID"), clientSecret: readSecret(given) },
    redirectUri: `${publicUrl}/console/provider`,
    emailClaim: given.PIXGATE_OIDC_EMAIL_CLAIM || "email",
    roles: readRoles(given),
    signUp: isOn(given, "PIXGATE_OIDC_SIGN_UP"),
    only: isOn(given, "PIXGATE_OIDC_ONLY"),
  });
}

function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (!value) throw new Error(`PIXGATE_OIDC_ISSUER needs ${name}`);
  return value;
}

function readSecret(env: NodeJS.ProcessEnv): string {
  const { PIXGATE_OIDC_CLIENT_SECRET: given, PIXGATE_OIDC_CLIENT_SECRET_FILE: file } = env;
  if (given && file)
    throw new Error("PIXGATE_OIDC_CLIENT_SECRET and PIXGATE_OIDC_CLIENT_SECRET_FILE are set: one is enough");
  if (!file) return required(env, "PIXGATE_OIDC_CLIENT_SECRET");
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new Error(`PIXGATE_OIDC_CLIENT_SECRET_FILE cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** `PIXGATE_OIDC_ROLES=pix-admins=admin,pix-finance=finance`. */
function readRoles(env: NodeJS.ProcessEnv): OidcSettings["roles"] {
  const { PIXGATE_OIDC_ROLE_CLAIM: claim, PIXGATE_OIDC_ROLES: text } = env;
  if (!claim && !text) return null;
  if (!claim || !text) throw new Error("PIXGATE_OIDC_ROLE_CLAIM and PIXGATE_OIDC_ROLES are set together");
  const roleOfValue = text.split(",").map((pair): readonly [string, string] => {
    const at = pair.lastIndexOf("=");
    const [value, role] = [pair.slice(0, Math.max(at, 0)).trim(), pair.slice(at + 1).trim()];
    if (value === "" || !ROLES.includes(role)) {
      throw new Error(`PIXGATE_OIDC_ROLES is value=role, … with the roles ${ROLES.join(", ")}, not "${pair}"`);
    }
    return [value, role];
  });
  return { claim, of: roleOfValue };
}

function isOn(env: NodeJS.ProcessEnv, name: string): boolean {
  const value = env[name];
  if (value && value !== "on" && value !== "off") throw new Error(`${name} is on or off, not "${value}"`);
  return value === "on";
}
