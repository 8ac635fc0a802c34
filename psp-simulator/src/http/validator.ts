import { createRequire } from "node:module";
import type { Ajv } from "ajv";
import type { FastifySchemaCompiler, FastifyServerOptions } from "fastify";

const require = createRequire(import.meta.url);

type Compilers = NonNullable<NonNullable<FastifyServerOptions["schemaController"]>["compilersFactory"]>;

/**
 * Fastify loads Ajv and fast-json-stringify at once unless it is given both compilers. No route has a schema for its answer.
 */
export const lazyCompilers = (): Compilers => ({
  buildValidator: (() => lazyValidators()) as never,
  buildSerializer: () => () => JSON.stringify,
});

/**
 * Validators of request bodies, each compiled by the first call that needs it, and Ajv loaded with the first of them.
 * Compiling all of them took 0.3 s of a start's 0.7 s of CPU, and most runs call one or two of these routes.
 */
function lazyValidators(): FastifySchemaCompiler<object> {
  let ajv: Ajv | undefined;
  const make = (): Ajv => {
    const { Ajv } = require("ajv") as typeof import("ajv");
    return new Ajv({ coerceTypes: false, removeAdditional: false, useDefaults: false, allowUnionTypes: true });
  };
  return ({ schema }) => {
    let compiled: ReturnType<Ajv["compile"]> | undefined;
    return (value: unknown) => {
      ajv ??= make();
      compiled ??= ajv.compile(schema);
      return compiled(value) ? { value } : { error: invalid(ajv, compiled.errors) };
    };
  };
}

/** As Fastify words it: the place in the body and what is wrong there. */
function invalid(ajv: Ajv, errors: Parameters<Ajv["errorsText"]>[0]): Error {
  const error = new Error(ajv.errorsText(errors, { dataVar: "body" }));
  return Object.assign(error, { validation: errors });
}
