import { Type } from "typebox";
import type { SessionRoutes } from "../http/scopes/session.ts";
import { LIMITS } from "../lib/limits.ts";
import { qrDataUri } from "../lib/qr.ts";

/**
 * `/console/api/qr`: the picture of a Pix code. `POST /v2/pix` gives it once, to whoever makes the charge; a person also opens
 * charges that were made before.
 */
export function qrRoute(route: SessionRoutes): void {
  route({
    method: "GET",
    path: "/qr",
    operationId: "drawCode",
    work: "none",
    summary: "Draw the QR code of a Pix code",
    who: "person",
    query: Type.Object({ code: Type.String({ minLength: 1, maxLength: LIMITS.pixCode }) }),
    answer: Type.Object({ image: Type.String() }),
    handle: async ({ query: { code } }) => ({ image: qrDataUri(code) }),
  });
}
