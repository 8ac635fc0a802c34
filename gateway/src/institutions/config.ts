import { isDeepStrictEqual } from "node:util";
import { type TSchema, Type } from "typebox";
import { Brl, component, RequestPart } from "../http/contract.ts";
import { type AddressList, addressList } from "../lib/addresses.ts";
import { fromBrl } from "../lib/money.ts";
import type { Bank } from "../psp/bank.ts";
import type { Capabilities } from "../psp/capabilities.ts";
import { BANKS } from "../psp/catalogue.ts";
import type { CertificateSettings } from "../psp/fields.ts";

/** Settings of every institution, beside those of its bank. */
export const GUARD = {
  notificationIps: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      minItems: 1,
      maxItems: 100,
      description:
        "Addresses and CIDR networks that its notifications may come from; left out: any. Production needs this or `notificationCertificates`.",
    }),
  ),
  notificationCertificates: Type.Optional(
    Type.Array(Type.String({ pattern: "^[0-9a-f]{64}$" }), {
      minItems: 1,
      maxItems: 10,
      description:
        "SHA-256 (hex) of the client certificates that its notifications come with, as the proxy in front forwards them; left out: none is demanded. Production needs this or `notificationIps`.",
    }),
  ),
  maxAmount: Type.Optional(
    Brl({
      minimum: 0.01,
      description:
        "Most of one Pix there, BRL: charges and withdrawals above it go to another institution. Left out: the bank's own limit, if one is known. An institution that the Central Bank has not authorised yet has R$ 15,000.00 (Resolução BCB 496/2025).",
    }),
  ),
  payoutTariff: Type.Optional(
    Brl({
      minimum: 0,
      description:
        "What the bank charges for a payout, BRL: of several institutions with the same priority and no `share` the cheapest pays. Left out: what the institution reported for its latest payout that cost something, in the last 30 days, counts where this is known of each with that priority; otherwise the others come first. Set it where some payouts are free.",
    }),
  ),
};

/**
 * The schema of a configuration: the settings of all these banks. Which of them a provider accepts is checked when its
 * adapter is built. Throws where two banks use one name for different settings.
 */
export function configSchema(banks: readonly Bank[]) {
  const fields: Record<string, TSchema> = { ...GUARD };
  for (const { id, settings } of banks) {
    for (const [name, field] of Object.entries(settings.properties)) {
      if (fields[name] !== undefined && !isDeepStrictEqual(fields[name], field)) {
        throw new TypeError(`${id}: the setting ${name} exists already, with another meaning`);
      }
      fields[name] = field;
    }
  }
  return RequestPart(
    "How an institution is reached; which settings a provider takes is in docs/banks.md. Secrets are never shown.",
    fields,
  );
}

export const InstitutionConfig = component("InstitutionConfig", configSchema(BANKS));
export type InstitutionConfig = CertificateSettings & {
  readonly notificationIps?: readonly string[];
  readonly notificationCertificates?: readonly string[];
  readonly maxAmount?: number;
  readonly payoutTariff?: number;
} & {
  readonly [setting: string]: unknown;
};

/** A configuration without its secrets; `secretsSet` names those that are set. */
export function visibleConfig(
  config: InstitutionConfig,
  schema: { readonly properties: Readonly<Record<string, TSchema>> } = InstitutionConfig,
): Record<string, unknown> {
  const isVisible = (name: string) =>
    (schema.properties[name] as { writeOnly?: true } | undefined)?.writeOnly === undefined;
  const names = Object.keys(config).filter((name) => config[name] !== undefined);
  const shown = names.filter((name) => Object.hasOwn(schema.properties, name) && isVisible(name));
  return {
    ...Object.fromEntries(shown.map((name) => [name, config[name]])),
    secretsSet: names.filter((name) => !shown.includes(name)).sort(),
  };
}

/** The part of a configuration that belongs to the bank and that its adapter gets. */
export function bankSettings(config: InstitutionConfig): Readonly<Record<string, unknown>> {
  const { notificationIps, notificationCertificates, maxAmount, payoutTariff, ...settings } = config;
  return settings;
}

/** What an institution of this configuration can do: as its bank, and at most its own amount in one Pix. */
export function abilitiesOf(bank: Bank, config: InstitutionConfig): Capabilities {
  const can = bank.capabilities(bankSettings(config));
  const most = [can.maxAmount, fromBrl(config.maxAmount ?? Number.NaN)].filter((limit) => limit !== null);
  return { ...can, maxAmount: most.length === 0 ? null : Math.min(...most) };
}

/** Whether one Pix of so many centavos may go there. */
export const takesAmount = ({ maxAmount }: Pick<Capabilities, "maxAmount">, amount: number): boolean =>
  maxAmount === null || amount <= maxAmount;

/** What a notification must have beside the secret path; null: nothing. */
export type NotificationGuard = {
  readonly ips: AddressList | null;
  /** SHA-256 in hex. */
  readonly certificates: readonly string[] | null;
};

export const isGuarded = ({ ips, certificates }: NotificationGuard): boolean => ips !== null || certificates !== null;

/** Throws a TypeError on an address that cannot be read. */
export function notificationGuard({ notificationIps, notificationCertificates }: InstitutionConfig): NotificationGuard {
  try {
    const ips = notificationIps === undefined ? null : addressList(notificationIps);
    return { ips, certificates: notificationCertificates ?? null };
  } catch (error) {
    throw new TypeError(`notificationIps: ${(error as Error).message}`);
  }
}
