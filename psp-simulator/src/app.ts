import Fastify, { type FastifyInstance } from "fastify";
import { getAccountBalance, getBalance } from "./balance/read.ts";
import { bankRoutes } from "./bank/routes.ts";
import { getBatchOfOne, getPaymentOfBatch, postBatchOfOne, releaseBatch } from "./banking/numbered.ts";
import { getOwnPayout } from "./banking/read.ts";
import { getPayoutWebhook, putPayoutWebhook } from "./banking/register.ts";
import { idOfKey, postPayout } from "./banking/request.ts";
import { authorisePayout, getPreparedPayout, postPreparedPayout } from "./banking/two-steps.ts";
import { getBatch, listBatches } from "./batches/read.ts";
import { patchBatch, putBatch } from "./batches/write.ts";
import type { Route } from "./behaviour/behaviour.ts";
import { postCharge, putCharge, putDueCharge } from "./charges/create.ts";
import { getCharge, getDueCharge, listCharges, listDueCharges } from "./charges/read.ts";
import { patchCharge, patchDueCharge } from "./charges/revise.ts";
import type { Context } from "./context.ts";
import { controlRoutes } from "./control/routes.ts";
import { readBodies } from "./http/bodies.ts";
import { followConnections } from "./http/reset.ts";
import { type Call, type Handler, serve } from "./http/serve.ts";
import { lazyCompilers } from "./http/validator.ts";
import { postDefence } from "./infractions/defend.ts";
import { listInfractions } from "./infractions/read.ts";
import { deleteEvp, getBucket, listEvp, postEvp } from "./keys/own-keys.ts";
import { getLocation, getQrCode, listLocations, postLocation, unlinkLocation } from "./locations/manage.ts";
import { getKeys, getPayload } from "./locations/payload.ts";
import { issue } from "./oauth/issue.ts";
import type { Scope } from "./oauth/token.ts";
import { detailQrCode, payQrCode } from "./payouts/qr-code.ts";
import { getPayout, getPayoutByE2e, listPayouts } from "./payouts/read.ts";
import { getReceipt } from "./payouts/receipt.ts";
import { putPayout, putSameOwner } from "./payouts/request.ts";
import { getPix, listPix } from "./pix/read.ts";
import { getReturn, putReturn } from "./returns/request.ts";
import { getSettings, putSettings } from "./settings/change.ts";
import type { Tls } from "./start/tls.ts";
import { deleteWebhook, getWebhook, listWebhooks, putWebhook } from "./webhooks/register.ts";
import { resendCallbacks } from "./webhooks/resend.ts";

const MAX_BODY_BYTES = 256 * 1024;

/** The server; this list is the API that the PSP offers. */
export function buildApp(ctx: Context, tls?: Tls): FastifyInstance {
  const app = Fastify({
    ...(tls ? { https: secured(tls) } : {}),
    logger: false,
    schemaController: { compilersFactory: lazyCompilers() },
    bodyLimit: MAX_BODY_BYTES,
    // Banks take both, and clients of theirs send both.
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: true },
    keepAliveTimeout: 60_000,
  });
  followConnections(ctx.connections, app.server);
  readBodies(ctx, app);

  const route: Served = (name, scope, id, handle) => serve(ctx, { route: name, scope, id, handle });

  app.post("/oauth/token", route("token", undefined, nothing, issue));

  app.put("/v2/cob/:txid", route("putCob", "cob.write", byTxid, putCharge));
  app.post("/v2/cob", route("postCob", "cob.write", nothing, postCharge));
  app.patch("/v2/cob/:txid", route("patchCob", "cob.write", byTxid, patchCharge));
  app.get("/v2/cob/:txid", route("getCob", "cob.read", byTxid, getCharge));
  app.get("/v2/cob", route("listCob", "cob.read", nothing, listCharges));

  app.put("/v2/cobv/:txid", route("putCobv", "cobv.write", byTxid, putDueCharge));
  app.patch("/v2/cobv/:txid", route("patchCobv", "cobv.write", byTxid, patchDueCharge));
  app.get("/v2/cobv/:txid", route("getCobv", "cobv.read", byTxid, getDueCharge));
  app.get("/v2/cobv", route("listCobv", "cobv.read", nothing, listDueCharges));

  app.put("/v2/lotecobv/:id", route("putLote", "lotecobv.write", byBatch, putBatch));
  app.patch("/v2/lotecobv/:id", route("patchLote", "lotecobv.write", byBatch, patchBatch));
  app.get("/v2/lotecobv/:id", route("getLote", "lotecobv.read", byBatch, getBatch));
  app.get("/v2/lotecobv", route("listLote", "lotecobv.read", nothing, listBatches));

  app.post("/v2/loc", route("postLoc", "payloadlocation.write", nothing, postLocation));
  app.get("/v2/loc", route("listLoc", "payloadlocation.read", nothing, listLocations));
  app.get("/v2/loc/:id", route("getLoc", "payloadlocation.read", byLocation, getLocation));
  app.delete("/v2/loc/:id/txid", route("unlinkLoc", "payloadlocation.write", byLocation, unlinkLocation));
  app.get("/v2/loc/:id/qrcode", route("getLocQr", "payloadlocation.read", byLocation, getQrCode));
  app.get("/v2/qr/jwks", route("getPayload", undefined, nothing, getKeys));
  app.get("/v2/qr/cobv/:token", route("getPayload", undefined, byToken, getPayload));
  app.get("/v2/qr/:token", route("getPayload", undefined, byToken, getPayload));

  app.get("/v2/pix/:e2eid", route("getPix", "pix.read", byPix, getPix));
  app.get("/v2/pix", route("listPix", "pix.read", nothing, listPix));
  app.put("/v2/pix/:e2eid/devolucao/:id", route("putReturn", "pix.write", byReturn, putReturn));
  app.get("/v2/pix/:e2eid/devolucao/:id", route("getReturn", "pix.read", byReturn, getReturn));

  app.put("/v2/webhook/:chave", route("putWebhook", "webhook.write", byKey, putWebhook));
  app.get("/v2/webhook/:chave", route("getWebhook", "webhook.read", byKey, getWebhook));
  app.delete("/v2/webhook/:chave", route("deleteWebhook", "webhook.write", byKey, deleteWebhook));
  app.get("/v2/webhook", route("listWebhook", "webhook.read", nothing, listWebhooks));

  ownRoutes(app, route);
  controlRoutes(ctx, app);
  bankRoutes(ctx, app);
  return app;
}

/** A route with the scope that it needs. */
type Served = (name: Route, scope: Scope | undefined, id: IdOf, handle: Handler) => ReturnType<typeof serve>;

/** What the standard lacks: Efí's own calls, then Inter's. */
function ownRoutes(app: FastifyInstance, route: Served): void {
  for (const path of ["/v3/gn/pix/:idEnvio", "/v2/gn/pix/:idEnvio"]) {
    app.put(path, route("putPayout", "pix.send", byPayout, putPayout));
  }
  app.put("/v2/gn/pix/:idEnvio/mesma-titularidade", route("putPayout", "pix.send", byPayout, putSameOwner));
  app.put("/v2/gn/pix/:idEnvio/qrcode", route("putPayout", "gn.qrcodes.pay", byPayout, payQrCode));
  app.post("/v2/gn/qrcodes/detalhar", route("detailQr", "gn.qrcodes.read", nothing, detailQrCode));
  app.get("/v2/gn/pix/comprovantes", route("getReceipt", "gn.receipts.read", nothing, getReceipt));
  app.post("/v2/gn/webhook/reenviar", route("resendWebhook", "webhook.write", nothing, resendCallbacks));
  app.post("/v2/gn/evp", route("postEvp", "gn.pix.evp.write", nothing, postEvp));
  app.get("/v2/gn/evp", route("listEvp", "gn.pix.evp.read", nothing, listEvp));
  app.delete("/v2/gn/evp/:chave", route("deleteEvp", "gn.pix.evp.write", byKey, deleteEvp));
  app.get("/v2/gn/chaves/balde", route("getBucket", "gn.keys.bucket.read", nothing, getBucket));
  app.get("/v2/gn/pix/enviados/:e2eId", route("getPayout", "gn.pix.send.read", byPayoutE2e, getPayoutByE2e));
  app.get("/v2/gn/pix/enviados/id-envio/:idEnvio", route("getPayout", "gn.pix.send.read", byPayout, getPayout));
  app.get("/v2/gn/pix/enviados", route("listPayouts", "gn.pix.send.read", nothing, listPayouts));
  app.get("/v2/gn/saldo", route("getBalance", "gn.balance.read", nothing, getBalance));
  app.get("/v2/gn/infracoes", route("listInfractions", "gn.infractions.read", nothing, listInfractions));
  app.post(
    "/v2/gn/infracoes/:idInfracao/defesa",
    route("postDefence", "gn.infractions.write", byInfraction, postDefence),
  );

  app.get("/v2/gn/config", route("getSettings", "gn.settings.read", nothing, getSettings));
  app.put("/v2/gn/config", route("putSettings", "gn.settings.write", nothing, putSettings));

  app.get("/banking/v2/saldo", route("getAccountBalance", "extrato.read", nothing, getAccountBalance));
  app.post("/banking/v2/pix", route("putPayout", "pagamento-pix.write", byRequestKey, postPayout));
  app.get("/banking/v2/pix/:codigo", route("getPayout", "pagamento-pix.read", byCode, getOwnPayout));
  const payments = "/management_payments_partners/v1/workspaces/:workspace/pix_payments";
  app.post(payments, route("putPayout", "pagamento-pix.write", nothing, postPreparedPayout));
  app.patch(`${payments}/:codigo`, route("authorisePayout", "pagamento-pix.write", byCode, authorisePayout));
  app.get(`${payments}/:codigo`, route("getPayout", "pagamento-pix.read", byCode, getPreparedPayout));
  const batches = "/pagamentos-lote/v1/lotes-transferencias-pix";
  app.post(batches, route("putPayout", "pagamentos-lote.transferencias-pix-requisicao", nothing, postBatchOfOne));
  app.get(
    `${batches}/:codigo/solicitacao`,
    route("getPayout", "pagamentos-lote.transferencias-pix-info", byCode, getBatchOfOne),
  );
  app.get("/pagamentos-lote/v1/pix/:id", route("getPayout", "pagamentos-lote.pix-info", byBatch, getPaymentOfBatch));
  app.post(
    "/pagamentos-lote/v1/liberar-pagamentos",
    route("authorisePayout", "pagamentos-lote.lotes-requisicao", nothing, releaseBatch),
  );
  const hook = "/banking/v2/webhooks/pix-pagamento";
  app.put(hook, route("putPayoutWebhook", "webhook-banking.write", nothing, putPayoutWebhook));
  app.get(hook, route("getPayoutWebhook", "webhook-banking.read", nothing, getPayoutWebhook));
}

/** With certificate authorities for callers, the TLS handshake refuses a caller without a certificate of theirs. */
function secured({ cert, key, clientCa }: Tls): { cert: Buffer; key: Buffer; ca?: Buffer; requestCert?: boolean } {
  return clientCa ? { cert, key, ca: clientCa, requestCert: true } : { cert, key };
}

/** The object that a call names (txid, endToEndId, …): faults are drawn by it. */
type IdOf = (ctx: Context, call: Call) => string;

const nothing: IdOf = () => "";
const byTxid: IdOf = (_, call) => call.params.txid!;
const byLocation: IdOf = (_, call) => call.params.id!;
const byBatch: IdOf = (_, call) => call.params.id!;
const byToken: IdOf = (_, call) => call.params.token!;
const byKey: IdOf = (_, call) => call.params.chave!;
/** An endToEndId differs in each run, so a Pix goes by its charge's txid where it has one. */
const byPix: IdOf = (ctx, call) => ctx.books.state.pix.get(call.params.e2eid!)?.txid ?? call.params.e2eid!;
const byPayout: IdOf = (_, call) => call.params.idEnvio!;
const byPayoutE2e: IdOf = (ctx, call) => ctx.books.state.payoutByE2e.get(call.params.e2eId!) ?? call.params.e2eId!;
const byRequestKey: IdOf = (_, call) => idOfKey(String(call.headers["x-id-idempotente"] ?? ""));
const byCode: IdOf = (ctx, call) => ctx.books.state.payoutByName.get(call.params.codigo!) ?? call.params.codigo!;
const byInfraction: IdOf = (_, call) => call.params.idInfracao!;
const byReturn: IdOf = (ctx, call) => `${byPix(ctx, call)}/${call.params.id!}`;
