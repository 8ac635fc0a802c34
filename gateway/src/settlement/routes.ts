import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import { ApiError } from "../http/errors.ts";
import { clientAddress, clientCertificate } from "../http/ip.ts";
import { type Institution, isNotificationSecret } from "../institutions/registry.ts";
import { failpoint } from "../lib/failpoint.ts";
import { isUuid } from "../lib/ids.ts";
import { type Inbox, parsed } from "./receive.ts";

/**
 * Where PSPs tell us of payments: one secret path for each institution (API Pix, Callbacks). PSPs append `/pix`,
 * some twice the slash, some nothing; a body we do not understand gets its 200 too, or registration fails.
 */
export function notificationRoutes(app: FastifyInstance, ctx: Context, inbox: Inbox): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));

  async function take(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { institutionId, secret } = request.params as { institutionId: string; secret: string };
    const known = isUuid(institutionId) && isNotificationSecret(ctx.keys, institutionId, secret);
    const institution = known ? await ctx.psps.find(institutionId) : null;
    if (institution === null) throw new ApiError("ROUTE_NOT_FOUND");
    requireGuard(request, institution);
    const raw = typeof request.body === "string" ? request.body.replaceAll("\0", "") : "";
    if (raw.trim() !== "") await inbox.receive(institution, parsed(raw), raw);
    failpoint("answer.before");
    return reply.code(200).send({});
  }

  /** A path that leaked is not enough where the institution's address or certificate is known. */
  function requireGuard(request: FastifyRequest, { institutionId, guard }: Institution): void {
    const { trustedProxies } = ctx.config;
    const address = clientAddress(request, trustedProxies);
    const certificate = clientCertificate(request, trustedProxies);
    const known = certificate !== null && (guard.certificates?.includes(certificate) ?? false);
    if ((guard.ips?.has(address) ?? true) && (guard.certificates === null || known)) return;
    ctx.log.warn({ institutionId, address, certificate }, "a notification came from elsewhere and was refused");
    throw new ApiError("IP_NOT_ALLOWED");
  }

  for (const suffix of ["", "/pix", "//pix"]) {
    app.post(`/psp/:institutionId/:secret${suffix}`, { schema: { hide: true } as object }, take);
  }
}
