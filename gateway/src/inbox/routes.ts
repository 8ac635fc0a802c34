import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import { ApiError } from "../http/errors.ts";
import { clientAddress, clientCertificate } from "../http/ip.ts";
import { perRequest } from "../http/per-request.ts";
import { addRoutes } from "../http/route.ts";
import { type PublicRoutes, publicScope } from "../http/scopes/public.ts";
import { isGuarded } from "../institutions/config.ts";
import { isNotificationSecret } from "../institutions/notification-path.ts";
import type { Institution } from "../institutions/registry.ts";
import { isUuid } from "../lib/ids.ts";
import type { ApprovalAsked, ApprovalRefused } from "../psp/approvals.ts";
import type { Psp } from "../psp/psp.ts";
import { type Inbox, parsed } from "./receive.ts";

/** The refusal of a bank's question is logged once in this time, for each institution and reason. Milliseconds. */
const WARN_EVERY = 60_000;
const REFUSED: Readonly<Record<ApprovalRefused, string>> = {
  other_token:
    "a bank's question about a payout was refused: it carries another token, so compare the one entered there",
  unreadable: "a bank's question about a payout was refused: it is about nothing that can be read",
};

type Signed = Parameters<NonNullable<Psp["checkSignature"]>>[0];

/** Whether a payout that a bank asks about may leave. */
type Approve = (ctx: Context, institutionId: string, asked: ApprovalAsked) => Promise<boolean>;

/**
 * Receives what PSPs notify, on one secret path for each institution. PSPs append `/pix`, some with two slashes, some
 * nothing. A body that Pixgate does not understand gets its 200 too, because some PSPs refuse the registration otherwise. A
 * bank that asks whether a payout may leave gets its answer at once.
 */
export function notificationRoutes(app: FastifyInstance, ctx: Context, inbox: Inbox, approve: Approve): void {
  const route: PublicRoutes = addRoutes(app, ctx, publicScope);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));

  const senders = perRequest<Institution>("sender");
  // Before the body: nothing is read from a caller who does not know the path, or who comes from another address.
  app.addHook("onRequest", async (request) => {
    if (request.is404) return;
    const { institutionId, secret } = request.params as { institutionId: string; secret: string };
    if (!isUuid(institutionId)) throw new ApiError("ROUTE_NOT_FOUND");
    const isKnown = (found: Institution | null) => found !== null && isNotificationSecret(ctx.keys, found, secret);
    let institution = await ctx.psps.find(institutionId);
    // Another process may have changed the path or the senders a moment ago, and be registering them at the bank now.
    if (institution !== null && !(isKnown(institution) && isFromSender(request, institution)))
      institution = await ctx.psps.findNow(institutionId);
    if (institution === null || !isKnown(institution)) throw new ApiError("ROUTE_NOT_FOUND");
    requireSender(request, institution);
    senders.set(request, institution);
  });

  async function receive(request: FastifyRequest): Promise<object> {
    const institution = senders.get(request)!;
    const given = typeof request.body === "string" ? request.body : "";
    const { headers } = request;
    const { approvals } = institution.psp;
    const asked = approvals?.read({ raw: given, headers }) ?? null;
    if (approvals && asked !== null) {
      if (typeof asked !== "string") return approvals.answer(await approve(ctx, institution.institutionId, asked));
      warnRefused(institution, asked);
      return approvals.answer(false);
    }
    if (await isForged(institution, { raw: given, headers })) {
      ctx.log.warn(
        { institutionId: institution.institutionId },
        "a notification without a valid signature was dropped",
      );
      return {};
    }
    const raw = given.replaceAll("\0", "");
    if (raw.trim() !== "") await inbox.receive(institution, parsed(raw), raw);
    return {};
  }

  /** A signature that cannot be checked counts as forged: what a stranger sends must not become an error of ours. */
  async function isForged({ institutionId, psp }: Institution, notification: Signed): Promise<boolean> {
    try {
      return (await psp.checkSignature?.(notification)) === "forged";
    } catch (err) {
      ctx.log.warn({ institutionId, err }, "the signature of a notification could not be checked");
      return true;
    }
  }

  const warnedAt = new Map<string, number>();
  /**
   * Logs why a bank's question was refused: otherwise nobody would learn why the bank cancels every payout. Not every time,
   * because whoever knows the path can cause it.
   */
  function warnRefused({ institutionId }: Institution, reason: ApprovalRefused): void {
    const [now, key] = [ctx.clock.now(), `${institutionId}/${reason}`];
    if (Math.abs(now - (warnedAt.get(key) ?? Number.NEGATIVE_INFINITY)) < WARN_EVERY) return;
    warnedAt.set(key, now);
    ctx.log.warn({ institutionId, reason }, REFUSED[reason]);
  }

  const needsGuard = ({ environment, guard }: Institution) =>
    ctx.config.needsNotificationGuard && environment === "production" && !isGuarded(guard);

  /** Where the institution's address or certificate is known, a leaked path is not enough. */
  function isFromSender(request: FastifyRequest, institution: Institution): boolean {
    const { ips, certificates } = institution.guard;
    const certificate = clientCertificate(request, ctx.config.trustedProxies);
    const isKnown = certificate !== null && (certificates?.includes(certificate) ?? false);
    const isNear = ips?.has(clientAddress(request, ctx.config.trustedProxies)) ?? true;
    return !needsGuard(institution) && isNear && (certificates === null || isKnown);
  }

  function requireSender(request: FastifyRequest, institution: Institution): void {
    if (isFromSender(request, institution)) return;
    const { institutionId } = institution;
    const { trustedProxies } = ctx.config;
    if (needsGuard(institution)) {
      ctx.log.warn(
        { institutionId },
        "a notification was refused: notificationIps or notificationCertificates is not set",
      );
    } else {
      const [address, certificate] = [
        clientAddress(request, trustedProxies),
        clientCertificate(request, trustedProxies),
      ];
      ctx.log.warn({ institutionId, address, certificate }, "a notification came from elsewhere and was refused");
    }
    throw new ApiError("IP_NOT_ALLOWED");
  }

  for (const suffix of ["", "/pix", "//pix"]) {
    route({
      method: "POST",
      path: `/psp/:institutionId/:secret${suffix}`,
      operationId: "receiveNotification",
      summary: "Receive a notification of an institution",
      handle: ({ request }) => receive(request),
    });
  }
}
