/** The simulator as a PSP: API Pix like any bank's, plus the control API that plays the payer. */
import { createOutbound } from "../../lib/outbound.ts";
import { apiPix } from "../api-pix/api-pix.ts";
import { type ApiPixSettings, resolveConfig } from "../api-pix/config.ts";
import { type ApiPixDeps, createCaller } from "../api-pix/request.ts";
import { parseJson, readError, record } from "../api-pix/wire.ts";
import type { Outcome, Psp, SandboxControl } from "../psp.ts";

export type SimulatorSettings = ApiPixSettings & {
  /** Base of the control API, without a slash at the end. */
  readonly controlUrl: string;
  readonly controlToken: string;
};

const MAX_ANSWER_BYTES = 64 * 1024;

/** Throws a TypeError on settings that cannot work. */
export function createSimulatorPsp(settings: SimulatorSettings, deps: ApiPixDeps): Psp {
  const { controlUrl, controlToken, ...own } = settings;
  const config = resolveConfig(own);
  const base = new URL(controlUrl);
  const caller = createCaller(config, deps);
  const control = createOutbound({
    origin: base.origin,
    maxConnections: config.maxConnections,
    maxPending: config.maxPending,
    connectTimeoutMs: config.connectTimeoutMs,
    timeoutMs: config.timeoutMs,
  });
  const prefix = base.pathname.replace(/\/+$/, "");
  const headers = [
    "accept",
    "application/json",
    "content-type",
    "application/json",
    "authorization",
    `Bearer ${controlToken}`,
  ];

  async function payCharge(payment: Parameters<SandboxControl["payCharge"]>[0]): Promise<Outcome<{ e2eId: string }>> {
    const answer = await control.send({
      method: "POST",
      path: `${prefix}/charges/${encodeURIComponent(payment.txid)}/pay`,
      headers,
      body: JSON.stringify({ payer: payment.payer, amountCentavos: payment.amount }),
      maxAnswerBytes: MAX_ANSWER_BYTES,
    });
    if (answer.kind === "unsent") return answer;
    if (answer.kind === "lost") return { kind: "unknown", reason: answer.reason };
    const { status } = answer;
    const body = record(parseJson(answer.body));
    if (status === 200) {
      const e2eId = body?.e2eId;
      return typeof e2eId === "string" && e2eId !== ""
        ? { kind: "accepted", value: { e2eId } }
        : { kind: "unknown", reason: "unexpected_answer" };
    }
    // The control API is part of this project: its 409 means that the charge cannot be paid, never that it was.
    if (status >= 400 && status <= 499 && status !== 408 && status !== 429) {
      const code = readError(body)?.code ?? body?.code;
      return {
        kind: "rejected",
        httpStatus: status,
        code: typeof code === "string" ? code : `http_${status}`,
        message: "",
      };
    }
    return { kind: "unknown", reason: `http_${status}` };
  }

  return {
    ...apiPix(config, caller, deps),
    sandbox: { payCharge },
    async close() {
      await Promise.all([caller.close(), control.close()]);
    },
  };
}
