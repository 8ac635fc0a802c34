import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Context } from "../context.ts";
import type { Answer } from "../http/answer.ts";
import { problem } from "../http/problem.ts";
import type { Token } from "./verified-tokens.ts";

/** Scopes that this PSP grants: those of API Pix, Efí's for sending, balance and MED, Inter's for the balance and sending, and Banco do Brasil's. */
export const SCOPES = [
  "cob.read",
  "cob.write",
  "cobv.read",
  "cobv.write",
  "lotecobv.read",
  "lotecobv.write",
  "pix.read",
  "pix.write",
  "webhook.read",
  "webhook.write",
  "payloadlocation.read",
  "payloadlocation.write",
  "pix.send",
  "gn.pix.send.read",
  "gn.pix.evp.read",
  "gn.pix.evp.write",
  "gn.qrcodes.read",
  "gn.qrcodes.pay",
  "gn.receipts.read",
  "gn.keys.bucket.read",
  "gn.balance.read",
  "extrato.read",
  "pagamento-pix.read",
  "pagamento-pix.write",
  "webhook-banking.read",
  "webhook-banking.write",
  "pagamentos-lote.transferencias-pix-requisicao",
  "pagamentos-lote.transferencias-pix-info",
  "pagamentos-lote.pix-info",
  "pagamentos-lote.lotes-requisicao",
  "pagamentos-lote.lotes-info",
  "gn.infractions.read",
  "gn.infractions.write",
  "gn.settings.read",
  "gn.settings.write",
] as const;
export type Scope = (typeof SCOPES)[number];

const MAX_VERIFIED = 10_000;

/** Tokens contain what they grant and are signed: nothing is stored, and a restart forgets none. */
export function issueToken(ctx: Context, scopes: readonly Scope[], expiresInSeconds: number): string {
  const claims = {
    exp: ctx.now() + expiresInSeconds * 1000,
    scope: scopes.join(" "),
    id: randomBytes(9).toString("base64url"),
  };
  const payload = Buffer.from(JSON.stringify(claims)).toString("base64url");
  return `${payload}.${sign(ctx, payload)}`;
}

function sign(ctx: Context, payload: string): string {
  return createHmac("sha256", ctx.credentials.clientSecret).update(payload).digest("base64url");
}

function readToken(ctx: Context, text: string): Token | undefined {
  const known = ctx.verifiedTokens.get(text);
  if (known) return known;
  const [payload, signature, rest] = text.split(".");
  if (!payload || !signature || rest !== undefined) return undefined;
  if (!equalInConstantTime(signature, sign(ctx, payload))) return undefined;
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as { exp: number; scope: string };
  const token = { expiresAt: claims.exp, scopes: claims.scope.split(" ") };
  if (ctx.verifiedTokens.size >= MAX_VERIFIED) ctx.verifiedTokens.clear();
  ctx.verifiedTokens.set(text, token);
  return token;
}

export function equalInConstantTime(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** The refusal of a call without a good token, or undefined when it may go on. */
export function checkToken(ctx: Context, authorization: string | undefined, scope: Scope): Answer | undefined {
  if (ctx.certificateOnly) return undefined;
  const text = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
  const token = text === undefined ? undefined : readToken(ctx, text);
  if (!token || token.expiresAt <= ctx.now()) {
    const description = token ? "The access token expired" : "The access token is missing or unknown";
    return {
      status: 401,
      body: { error: "invalid_token", error_description: description },
      headers: { "www-authenticate": `Bearer error="invalid_token", error_description="${description}"` },
    };
  }
  if (!token.scopes.includes(scope)) {
    const description = `The access token does not have the scope ${scope}`;
    // The standard's calls refuse as the standard says; Efí, and its own calls, by a shape of their own.
    const isEfis = ctx.books.state.behaviour.dialect === "efi" || scope.startsWith("gn.") || scope === "pix.send";
    const refusal = isEfis
      ? { status: 403, body: { error: "insufficient_scope", error_description: description } }
      : problem("AcessoNegado", description);
    return { ...refusal, headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"` } };
  }
  return undefined;
}
