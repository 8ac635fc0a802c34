/** The simulator as a PSP: API Pix and Efí's additions like any bank's, plus the control API that plays the payer. */
import { createOutbound } from "../../lib/outbound.ts";
import type { ApiPixSettings } from "../api-pix/config.ts";
import { type ApiPixDeps, createCaller } from "../api-pix/request.ts";
import { parseJson, readError, record } from "../api-pix/wire.ts";
import { efi, efiConfig } from "../efi/efi.ts";
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
  const config = efiConfig(own);
  const base = new URL(controlUrl);
  const caller = createCaller(config, deps);
  const control = createOutbound({
    origin: base.origin,
    maxConnections: config.maxConnections,
    maxPending: config.maxPending,
    connectTimeoutMs: config.connectTimeoutMs,
    timeoutMs: config.timeoutMs,
    tls: config.tls,
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

  /** One call of the control API; `read` takes what is needed out of its answer, or null when it is not there. */
  async function call<T>(path: string, body: unknown, read: (answer: unknown) => T | null): Promise<Outcome<T>> {
    const answer = await control.send({
      method: "POST",
      path: prefix + path,
      headers,
      body: JSON.stringify(body),
      maxAnswerBytes: MAX_ANSWER_BYTES,
    });
    if (answer.kind === "unsent") return answer;
    if (answer.kind === "lost") return { kind: "unknown", reason: answer.reason };
    const { status } = answer;
    const told = parseJson(answer.body);
    if (status >= 200 && status <= 299) {
      const value = read(told);
      return value === null ? { kind: "unknown", reason: "unexpected_answer" } : { kind: "accepted", value };
    }
    // The control API is part of this project: its 4xx means that nothing was done.
    if (status >= 400 && status <= 499 && status !== 408 && status !== 429) {
      const problem = record(told);
      const code = readError(problem)?.code ?? problem?.code;
      return {
        kind: "rejected",
        httpStatus: status,
        code: typeof code === "string" ? code : `http_${status}`,
        message: "",
      };
    }
    return { kind: "unknown", reason: `http_${status}` };
  }

  async function done(path: string, body: unknown): Promise<Outcome<null>> {
    const outcome = await call(path, body, () => true);
    return outcome.kind === "accepted" ? { kind: "accepted", value: null } : outcome;
  }

  const sandbox: SandboxControl = {
    payCharge: ({ txid, amount, payer }) =>
      call(`/charges/${encodeURIComponent(txid)}/pay`, { payer, amountCentavos: amount }, (told) => {
        const e2eId = readText(told, "e2eId");
        return e2eId === null ? null : { e2eId };
      }),
    settleReturn: ({ e2eId, id, outcome, reason }) =>
      done(`/pix/${encodeURIComponent(e2eId)}/returns/${encodeURIComponent(id)}/settle`, { outcome, reason }),
    settlePayout: ({ id, outcome, amount, reason }) =>
      done(`/payouts/${encodeURIComponent(id)}/settle`, { outcome, amountCentavos: amount, reason }),
    openInfraction: ({ e2eId, amount, reason }) =>
      call("/infractions", { e2eId, amountCentavos: amount, reason }, (told) => {
        const id = readText(told, "id");
        return id === null ? null : { id };
      }),
    resolveInfraction: ({ id, outcome }) => done(`/infractions/${encodeURIComponent(id)}/resolve`, { outcome }),
  };

  return {
    ...efi(config, caller, deps),
    sandbox,
    async close() {
      await Promise.all([caller.close(), control.close()]);
    },
  };
}

function readText(told: unknown, field: string): string | null {
  const value = record(told)?.[field];
  return typeof value === "string" && value !== "" ? value : null;
}
