/** Building blocks for the settings of banks. Every field is optional; see `Bank.settings`. */
import { Type } from "typebox";

/** Marks a field that is sealed and never shown: a secret, or something long. */
export const HIDDEN = { writeOnly: true } as const;

/** A text that is not empty. */
export const text = (maxLength: number, description: string, mark: object = {}) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description, ...mark }));

/** A count or a duration; `unset` applies while neither the operator nor a profile sets it. */
export const integer = (maximum: number, description: string, unset: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum, description: `${description} Default: ${unset}.` }));

/** Yes or no. */
export const flag = (description: string, unset: boolean) =>
  Type.Optional(Type.Boolean({ description: `${description} Default: ${unset}.` }));

/** One of a few values, each with its meaning. */
export const choice = <Word extends string>(
  description: string,
  meanings: Readonly<Record<Word, string>>,
  unset: NoInfer<Word>,
) => {
  const words = Object.keys(meanings) as Word[];
  const each = words.map((word) => `\`${word}\`: ${meanings[word]}`).join("; ");
  return Type.Optional(
    Type.Enum(words, { type: "string", description: `${description} ${each}. Default: \`${unset}\`.` }),
  );
};

/** Texts by name, such as headers. */
export const pairs = (description: string, mark: object = {}) =>
  Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 2048 }), { maxProperties: 20, description, ...mark }),
  );

/** A client certificate, for banks that demand one. */
export const CERTIFICATE = {
  certificate: text(65_536, "Client certificate with its chain, PEM. Never shown.", HIDDEN),
  privateKey: text(65_536, "Key of the client certificate, PEM. Secret: never shown.", HIDDEN),
  p12: text(
    131_072,
    "Client certificate and key as PKCS#12 in base64, instead of the two. Secret: never shown.",
    HIDDEN,
  ),
  passphrase: Type.Optional(
    Type.String({
      maxLength: 255,
      description: "Of `p12` or `privateKey`; may be empty. Secret: never shown.",
      ...HIDDEN,
    }),
  ),
  ca: text(65_536, "Authorities to trust instead of the system's, PEM. Never shown.", HIDDEN),
};
export type CertificateSettings = { readonly [Name in keyof typeof CERTIFICATE]?: string | undefined };
