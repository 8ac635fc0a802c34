/** The check of a tool's input: what is wrong names its field. */
import { Ajv, AjvJsonSchemaValidator, addFormats } from "@modelcontextprotocol/server/validators/ajv";

/** At most this many are named; the first ones are what a model corrects. */
const MOST = 20;

type Errors = Parameters<InstanceType<typeof Ajv>["errorsText"]>[0];

/** As Ajv words it, with the field that should not be there, or that is missing. */
function wordsOf(errors: Errors): string {
  const lines = (errors ?? []).map(({ instancePath, params, message }) => {
    const { additionalProperty, missingProperty } = params as Record<string, string | undefined>;
    const field = additionalProperty ?? missingProperty;
    const path = [...instancePath.split("/").slice(1), ...(field === undefined ? [] : [field])].join(".");
    if (additionalProperty !== undefined) return `${path}: is unknown`;
    if (missingProperty !== undefined) return `${path}: is required`;
    return path === "" ? `the input ${message}` : `${path}: ${message}`;
  });
  return [...new Set(lines)].slice(0, MOST).join("; ");
}

export function createValidator(): AjvJsonSchemaValidator {
  const ajv = new Ajv({ strict: false, validateFormats: true, validateSchema: false, allErrors: true });
  addFormats(ajv);
  ajv.errorsText = wordsOf;
  return new AjvJsonSchemaValidator(ajv);
}
