import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { type Static, Type } from "typebox";
import { component } from "../http/contract.ts";
import { type AddressList, addressList } from "../lib/addresses.ts";

const Text = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }));
const Pairs = (description: string) =>
  Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 2048 }), { maxProperties: 20, description }));

/** How an institution is reached. What the profile of a bank knows may be left out. Secrets never come back. */
export const InstitutionConfig = component(
  "InstitutionConfig",
  Type.Object(
    {
      profile: Text(40, "A bank whose addresses and habits are known, such as `efi`, `inter` or `banco-do-brasil`."),
      baseUrl: Text(2048, "Address of the API Pix up to `/cob`, such as `https://pix.example.com/api/v2`."),
      tokenUrl: Text(2048, "Address of the token call."),
      clientId: Text(255, "Client id at the institution."),
      clientSecret: Text(1024, "Client secret at the institution. Secret: never shown."),
      pixKey: Text(77, "The PIX key that charges are issued on and payouts are sent from."),
      certificate: Text(65_536, "Client certificate with its chain, PEM."),
      privateKey: Text(65_536, "Key of the client certificate, PEM. Secret: never shown."),
      p12: Text(131_072, "Client certificate and key as PKCS#12 in base64, instead of the two. Secret: never shown."),
      passphrase: Type.Optional(
        Type.String({ maxLength: 255, description: "Of `p12` or `privateKey`; may be empty. Secret: never shown." }),
      ),
      ca: Text(65_536, "Authorities to trust instead of the system's, PEM."),
      scope: Text(1024, "Scopes to ask for; left out: what the profile asks for."),
      extraHeaders: Pairs("Headers on every call but the token's, names in lower case. Secret: never shown."),
      extraQuery: Pairs("Query parameters on every call but the token's. Secret: never shown."),
      notificationIps: Type.Optional(
        Type.Array(Type.String({ maxLength: 64 }), {
          minItems: 1,
          maxItems: 100,
          description: "Where its notifications may come from: addresses and CIDR networks; left out: anywhere.",
        }),
      ),
      notificationCertificates: Type.Optional(
        Type.Array(Type.String({ pattern: "^[0-9a-f]{64}$" }), {
          minItems: 1,
          maxItems: 10,
          description:
            "SHA-256 (hex) of the client certificates that its notifications come with, as the proxy in front tells them; left out: none is asked for.",
        }),
      ),
      controlUrl: Text(2048, "Of the simulator: its control API."),
      controlToken: Text(255, "Of the simulator: the token of its control API. Secret: never shown."),
    },
    { additionalProperties: false, description: "How an institution is reached. Secrets never come back." },
  ),
);
export type InstitutionConfig = Static<typeof InstitutionConfig>;

/** What may be shown of a configuration. */
const VISIBLE = [
  "profile",
  "baseUrl",
  "tokenUrl",
  "clientId",
  "pixKey",
  "scope",
  "notificationIps",
  "notificationCertificates",
  "controlUrl",
] as const;

/** Without its secrets; what is set and secret is told by name. */
export function visibleConfig(config: InstitutionConfig): Record<string, unknown> {
  const shown = VISIBLE.filter((name) => config[name] !== undefined).map((name) => [name, config[name]]);
  const hidden = Object.keys(config).filter((name) => !(VISIBLE as readonly string[]).includes(name));
  return { ...Object.fromEntries(shown), secretsSet: hidden.sort() };
}

/** As the adapters take it: certificates together under `tls`. */
export function adapterSettings(config: InstitutionConfig): Record<string, unknown> {
  const { certificate, privateKey, p12, passphrase, ca, notificationIps, notificationCertificates, ...settings } =
    config;
  const tls = { cert: certificate, key: privateKey, pfx: p12, passphrase, ca };
  return Object.values(tls).some((part) => part !== undefined) ? { ...settings, tls } : settings;
}

/** What a notification must show beside the secret path; null: nothing. */
export type NotificationGuard = {
  readonly ips: AddressList | null;
  /** SHA-256 in hex. */
  readonly certificates: readonly string[] | null;
};

/** Throws a TypeError on an address that cannot be read. */
export function notificationGuard({ notificationIps, notificationCertificates }: InstitutionConfig): NotificationGuard {
  try {
    const ips = notificationIps === undefined ? null : addressList(notificationIps);
    return { ips, certificates: notificationCertificates ?? null };
  } catch (error) {
    throw new TypeError(`notificationIps: ${(error as Error).message}`);
  }
}

/** When the client certificate ends; null without one. Throws a TypeError on one that cannot be read. */
export function certificateExpiry({ certificate, p12, passphrase }: InstitutionConfig): Date | null {
  if (certificate !== undefined) return new Date(readPem(certificate).validTo);
  if (p12 === undefined) return null;
  return readP12(p12, passphrase ?? "");
}

function readPem(certificate: string): X509Certificate {
  try {
    return new X509Certificate(certificate);
  } catch {
    throw new TypeError("certificate: is not a certificate in PEM");
  }
}

/** Node opens PKCS#12 only for TLS; its context then holds the certificate (there is no other reader in Node). */
function readP12(p12: string, passphrase: string): Date | null {
  const opened = openP12(p12, passphrase);
  const { getCertificate } = opened.context as { getCertificate?: () => Buffer | undefined };
  const der = getCertificate?.call(opened.context);
  return der ? new Date(new X509Certificate(der).validTo) : null;
}

function openP12(p12: string, passphrase: string): ReturnType<typeof createSecureContext> {
  try {
    return createSecureContext({ pfx: Buffer.from(p12, "base64"), passphrase });
  } catch {
    throw new TypeError("p12: cannot be opened; is it PKCS#12 in base64, and the passphrase right?");
  }
}
