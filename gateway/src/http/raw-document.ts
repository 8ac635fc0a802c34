import type { FastifyInstance, RouteOptions } from "fastify";

const added = new WeakMap<object, RouteOptions[]>();

/** Remembers every route that is added to a server from now on, for `rawDocument`. */
export function rememberRoutes(app: FastifyInstance): void {
  const routes: RouteOptions[] = [];
  added.set(app.server, routes);
  app.addHook("onRoute", (route) => void routes.push(route));
}

/**
 * The OpenAPI document of a server's routes, as @fastify/swagger makes it from their schemas. It is made on a second server
 * that has the routes' schemas and handles nothing, so that the plugin, with its 80 files, is loaded by the first who reads a
 * document and not by every start.
 */
export async function rawDocument(app: FastifyInstance, openapi: object): Promise<unknown> {
  const [{ default: Fastify }, { default: swagger }] = await Promise.all([
    import("fastify"),
    import("@fastify/swagger"),
  ]);
  const copy = Fastify({ exposeHeadRoutes: false, routerOptions: { maxParamLength: 16 * 1024 } });
  copy.setValidatorCompiler(() => () => true);
  copy.setSerializerCompiler(() => () => "");
  await copy.register(swagger, {
    openapi,
    refResolver: { buildLocalReference: (json, _base, _path, i) => String(json.$id ?? `def-${i}`) },
  });
  for (const schema of Object.values(app.getSchemas())) copy.addSchema(schema);
  for (const { method, url, schema } of added.get(app.server) ?? []) {
    if (method !== "HEAD") copy.route({ method, url, ...(schema && { schema }), handler: () => null });
  }
  try {
    await copy.ready();
    return copy.swagger();
  } finally {
    await copy.close();
  }
}
