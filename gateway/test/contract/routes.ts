import type { TestGateway } from "../harness/gateway.ts";

/** A route as the server has it: `POST`, `/v2/sandbox/pix/:id/pay`. */
export type Route = { readonly method: string; readonly path: string };

/** Every route of a gateway, as its router prints them: a tree, four characters for each level. HEAD is GET's shadow. */
export function routesOf(gateway: TestGateway): Route[] {
  const above: string[] = [];
  return gateway.running
    .app!.printRoutes({ commonPrefix: false })
    .split("\n")
    .flatMap((line) => {
      const parts = /^([│ ]*)[├└]── (\S*)(?: \(([A-Z, ]+)\))?/.exec(line);
      if (!parts) return [];
      const level = parts[1]!.length / 4;
      above.splice(level, above.length, parts[2]!);
      const methods = parts[3]?.split(", ").filter((method) => method !== "HEAD") ?? [];
      // What stands for anything, as in /console/*, is a name here.
      return methods.map((method) => ({ method, path: above.join("").replace(/\/?\*$/, "/anything") }));
    });
}
