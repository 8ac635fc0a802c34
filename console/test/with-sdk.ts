import { registerHooks } from "node:module";

const SDK = new URL("../../sdk/src/index.ts", import.meta.url).href;

/** Imports a file of the console that computes with the SDK: of its sources, since tests run before it is built. */
export async function withSdk<T>(load: () => Promise<T>): Promise<T> {
  const hooks = registerHooks({
    resolve: (name, context, next) =>
      name === "@pixgate/sdk" ? { url: SDK, shortCircuit: true } : next(name, context),
  });
  try {
    return await load();
  } finally {
    hooks.deregister();
  }
}
