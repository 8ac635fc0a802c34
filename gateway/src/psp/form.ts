/** What a person fills in to add an institution: the fields that several banks have, with their words. */
import type { FormField } from "./bank.ts";

const CLIENT_ID: FormField = {
  ...{ setting: "clientId", kind: "text", required: true },
  label: { en: "Client id", pt: "Client id" },
};
const CLIENT_SECRET: FormField = {
  ...{ setting: "clientSecret", kind: "secret", required: true },
  label: { en: "Client secret", pt: "Client secret" },
};
export const PIX_KEY: FormField = {
  ...{ setting: "pixKey", kind: "text", required: true },
  label: { en: "Pix key", pt: "Chave Pix" },
};
/** A client certificate: two PEM files, or one of both. */
const CERTIFICATE: readonly FormField[] = [
  {
    ...{ setting: "certificate", kind: "file", accept: ".pem,.crt,.cer", required: false },
    label: { en: "Certificate (PEM)", pt: "Certificado (PEM)" },
  },
  {
    ...{ setting: "privateKey", kind: "file", accept: ".pem,.key", required: false },
    label: { en: "Key of the certificate (PEM)", pt: "Chave do certificado (PEM)" },
  },
  {
    ...{ setting: "p12", kind: "file_base64", accept: ".p12,.pfx", required: false },
    label: { en: "Or both in a .p12 file", pt: "Ou os dois em um arquivo .p12" },
  },
  {
    ...{ setting: "passphrase", kind: "secret", required: false },
    label: { en: "Passphrase, where it has one", pt: "Senha do arquivo, se tiver" },
  },
];

/** The fields by which a bank with the Central Bank's API Pix is reached. */
export const API_PIX_FORM: readonly FormField[] = [CLIENT_ID, CLIENT_SECRET, PIX_KEY, ...CERTIFICATE];
/** The same fields for any such bank: some have no secret. */
export const ANY_API_PIX_FORM: readonly FormField[] = [
  CLIENT_ID,
  {
    ...CLIENT_SECRET,
    required: false,
    label: {
      en: "Client secret; none where the certificate is the proof",
      pt: "Client secret; nenhum onde o certificado é a prova",
    },
  },
  PIX_KEY,
  ...CERTIFICATE,
];

type Schema = { readonly type?: unknown; readonly writeOnly?: unknown; readonly description?: unknown };

/** The form of a bank that names none: what its settings are, with their names and descriptions, which are English. */
export const formOf = (settings: Readonly<Record<string, object>>): readonly FormField[] =>
  Object.entries(settings).map(([setting, schema]: [string, Schema]): FormField => {
    const known = API_PIX_FORM.find((field) => field.setting === setting);
    const label = `${setting}: ${String(schema.description)}`;
    return known ?? { setting, kind: kindOf(schema), required: false, label: { en: label, pt: label } };
  });

function kindOf({ type, writeOnly }: Schema): FormField["kind"] {
  if (type === "integer") return "number";
  if (type === "boolean") return "yes_no";
  return writeOnly === true ? "secret" : "text";
}
