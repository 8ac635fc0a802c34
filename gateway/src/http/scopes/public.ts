import type { FastifyRequest } from "fastify";
import type { AddRoute, Scope } from "../scope.ts";

/** The request itself: some of these routes read its address, its certificate or a body that is not JSON. */
type PublicGiven = { readonly request: FastifyRequest };
/** Adds a route that no document shows. */
export type PublicRoutes = AddRoute<object, PublicGiven>;

/** Everybody: health, metrics, documents, and notifications of PSPs, whose path is a secret. */
export const publicScope: Scope<object, PublicGiven> = {
  name: "public",
  admit: (request) => ({ request }),
  bodyUnchecked: true,
  describe: () => ({
    needs: null,
    hidden: true,
    limited: false,
  }),
};
