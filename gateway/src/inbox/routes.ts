import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import { ApiError } from "../http/errors.ts";
import { clientAddress, clientCertificate } from "../http/ip.ts";
import { perRequest } from "../http/per-request.ts";
import { addRoutes } from "../http/route.ts";
import { type PublicRoutes, publicScope } from "../http/scopes/public.ts";
import { isGuarded } from "../institutions/config.ts";
import { type Institution, isNotificationSecret } from "../institutions/registry.ts";
import { isUuid } from "../lib/ids.ts";
import { type Inbox, parsed } from "./receive.ts";

/**
 * Receives what PSPs notify, on one secret path for each institution. PSPs append `/pix`, some with two slashes, some
 * nothing. A body that Pixgate does not understand gets its 200 too, because some PSPs refuse the registration otherwise.
 */
export function notificationRoutes(app: FastifyInstance, ctx: Context, inbox: Inbox): void {
  const route: PublicRoutes = addRoutes(app, ctx, publicScope);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));

  const senders = perRequest<Institution>("sender");
  // Before the body: nothing is read from a caller who does not know the path, or who comes from another address.
  app.addHook("onRequest", async (request) => {
    if (request.is404) return;
    const { institutionId, secret } = request.params as { institutionId: string; secret: string };
    const institution = isUuid(institutionId) ? await ctx.psps.find(institutionId) : null;
    if (institution === null || !isNotificationSecret(ctx.keys, institution, secret))
      throw new ApiError("ROUTE_NOT_FOUND");
    requireGuard(request, institution);
    senders.set(request, institution);
  });

  async function receive(request: FastifyRequest): Promise<object> {
    const institution = senders.get(request)!;
    const raw = typeof request.body === "string" ? request.body.replaceAll("\0", "") : "";
    if (raw.trim() !== "") await inbox.receive(institution, parsed(raw), raw);
    return {};
  }

  /** Where the institution's address or certificate is known, a leaked path is not enough. */
  function requireGuard(request: FastifyRequest, { institutionId, environment, guard }: Institution): void {
    const { trustedProxies, needsNotificationGuard } = ctx.config;
    if (needsNotificationGuard && environment === "production" && !isGuarded(guard)) {
      ctx.log.warn(
        { institutionId },
        "a notification was refused: notificationIps or notificationCertificates is not set",
      );
      throw new ApiError("IP_NOT_ALLOWED");
    }
    const address = clientAddress(request, trustedProxies);
    const certificate = clientCertificate(request, trustedProxies);
    const isKnown = certificate !== null && (guard.certificates?.includes(certificate) ?? false);
    if ((guard.ips?.has(address) ?? true) && (guard.certificates === null || isKnown)) return;
    ctx.log.warn({ institutionId, address, certificate }, "a notification came from elsewhere and was refused");
    throw new ApiError("IP_NOT_ALLOWED");
  }

  for (const suffix of ["", "/pix", "//pix"]) {
    route({
      method: "POST",
      path: `/psp/:institutionId/:secret${suffix}`,
      operationId: "receiveNotification",
      summary: "Receive a notification of an institution",
      status: 200,
      handle: ({ request }) => receive(request),
    });
  }
}
