import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { whenRecorded } from "../books/recorded.ts";
import type { Context } from "../context.ts";
import type { Answer } from "../http/answer.ts";
import { send } from "../http/send.ts";
import type { Call } from "../http/serve.ts";
import { equalInConstantTime } from "../oauth/token.ts";
import { expireCharge, hold, medReturn, payCharge, payCode, sendPix, setClock, settle } from "./act.ts";
import { getBehaviour, patchBehaviour, putBehaviour, resetBehaviour } from "./behave.ts";
import { controlError } from "./error.ts";
import { changeAmount, contest, listInfractionStates, reopen, resolve } from "./infractions.ts";
import { deleteKey, deletePretence, listPayoutStates, putKey, putPretence, settlePayout } from "./payouts.ts";
import {
  amountSchema,
  behaviourSchema,
  clockSchema,
  codeSchema,
  infractionSchema,
  keySchema,
  medReturnSchema,
  paySchema,
  pixSchema,
  pretenceSchema,
  resolveSchema,
  settlePayoutSchema,
  settleSchema,
} from "./schemas.ts";
import { getChargeState, getHealth, getLog, getState, listChargeStates, listPixStates } from "./show.ts";

/** The control API: what a payer, a fraud team or bad weather would do to this PSP. No client of a bank has it. */
export function controlRoutes(ctx: Context, app: FastifyInstance): void {
  const onRequest = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
    if (equalInConstantTime(given, ctx.credentials.controlToken)) done();
    else send(reply, controlError(401, "UNAUTHORIZED", "The control token is missing or wrong"));
  };
  const run = (handle: (ctx: Context, call: Call) => Answer, body?: Record<string, unknown>) => ({
    onRequest,
    ...(body ? { schema: { body } } : {}),
    handler: (request: FastifyRequest, reply: FastifyReply) => {
      const answer = handle(ctx, request as unknown as Call);
      whenRecorded(ctx, () => send(reply, answer));
    },
  });

  app.get("/control/health", run(getHealth));
  app.get("/control/state", run(getState));
  app.get("/control/charges", run(listChargeStates));
  app.get("/control/charges/:txid", run(getChargeState));
  app.get("/control/pix", run(listPixStates));
  app.get("/control/payouts", run(listPayoutStates));
  app.get("/control/infractions", run(listInfractionStates));
  app.get("/control/log", run(getLog));

  app.post("/control/charges/:txid/pay", run(payCharge, paySchema));
  app.post("/control/charges/:txid/expire", run(expireCharge));
  app.post("/control/codes/pay", run(payCode, codeSchema));
  app.post("/control/pix", run(sendPix, pixSchema));
  app.post("/control/pix/:e2eid/returns/:id/settle", run(settle, settleSchema));
  app.post("/control/pix/:e2eid/returns/:id/hold", run(hold));
  app.post("/control/pix/:e2eid/med-return", run(medReturn, medReturnSchema));

  app.post("/control/payouts/:idEnvio/settle", run(settlePayout, settlePayoutSchema));
  app.put("/control/payouts/:idEnvio/pretence", run(putPretence, pretenceSchema));
  app.delete("/control/payouts/:idEnvio/pretence", run(deletePretence));
  app.put("/control/keys/:chave", run(putKey, keySchema));
  app.delete("/control/keys/:chave", run(deleteKey));
  app.post("/control/infractions", run(contest, infractionSchema));
  app.post("/control/infractions/:idInfracao/amount", run(changeAmount, amountSchema));
  app.post("/control/infractions/:idInfracao/reopen", run(reopen));
  app.post("/control/infractions/:idInfracao/resolve", run(resolve, resolveSchema));

  app.get("/control/behaviour", run(getBehaviour));
  app.put("/control/behaviour", run(putBehaviour, behaviourSchema));
  app.patch("/control/behaviour", run(patchBehaviour, behaviourSchema));
  app.delete("/control/behaviour", run(resetBehaviour));
  app.put("/control/clock", run(setClock, clockSchema));
}
