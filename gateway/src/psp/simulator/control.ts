/**
 * The simulator's control API, which plays the payer and the bank's staff beside an adapter that calls it like any bank.
 */

import { parseJson, record } from "../api-pix/read-values.ts";
import { createOutbound, type OutboundTls } from "../outbound.ts";
import type { Outcome } from "../outcome.ts";
import type { Psp } from "../psp.ts";
import { WRONG_CONTROL_URL } from "../reason.ts";
import type { SandboxControl } from "../sandbox-control.ts";

export type ControlSettings = {
  /** Base of the control API, without a slash at the end. */
  readonly controlUrl: string;
  readonly controlToken: string;
  /** As for the bank's own API: the simulator asks for a client certificate on both. */
  readonly tls?: OutboundTls | undefined;
  /** A whole call, milliseconds. */
  readonly timeoutMs?: number | undefined;
};

const MAX_ANSWER_BYTES = 64 * 1024;
const TIMEOUT_MS = 8_000;
const CONNECT_TIMEOUT_MS = 3_000;
const MAX_CONNECTIONS = 64;
const MAX_PENDING = 4_096;
/** The control API's answer to a call that it does not have. */
const NO_ROUTE = "No route";
/** The refund reason with which a merchant makes it wait at the simulator (contract of `/sandbox/refunds`). */
const WAITS = "manual";

/** Adds sandbox commands to an adapter. Throws a TypeError for settings that cannot work. */
export function withControl(psp: Psp, settings: ControlSettings): Psp {
  const control = createControl(settings);
  const { call, done } = control;
  const sandbox: SandboxControl = {
    payCharge: ({ txid, amount, payer, force }) =>
      call(`/charges/${encodeURIComponent(txid)}/pay`, { payer, amountCentavos: amount, force }, readPaid),
    payCode: ({ code, amount, payer }) => call("/codes/pay", { code, payer, amountCentavos: amount }, readPaid),
    settleReturn: ({ e2eId, id, outcome, reason }) => done(`${returnPath(e2eId, id)}/settle`, { outcome, reason }),
    settlePayout: ({ id, outcome, amount, reason }) =>
      done(`/payouts/${encodeURIComponent(id)}/settle`, { outcome, amountCentavos: amount, reason }),
    openInfraction: ({ e2eId, amount, reason, precautionary }) =>
      call("/infractions", { e2eId, amountCentavos: amount, reason, precautionary }, (answer) => {
        const id = readText(answer, "id");
        return id === null ? null : { id };
      }),
    changeInfraction: ({ id, amount }) =>
      done(`/infractions/${encodeURIComponent(id)}/amount`, { amountCentavos: amount }),
    resolveInfraction: ({ id, outcome }) => done(`/infractions/${encodeURIComponent(id)}/resolve`, { outcome }),
    openingBalance: () =>
      call(
        "/behaviour",
        undefined,
        (answer) => {
          const opening = record(answer)?.openingBalanceCentavos;
          return Number.isSafeInteger(opening) ? (opening as number) : null;
        },
        "GET",
      ),
    outage: (to) => setOutage(control, to),
  };

  return {
    ...psp,
    sandbox,
    async returnPix(order) {
      // Some banks accept no text with a return, so another call before the return asks the simulator to wait.
      if (order.description === WAITS) {
        const held = await done(`${returnPath(order.e2eId, order.id)}/hold`, {});
        if (held.kind !== "accepted") return { kind: "unsent", reason: "simulator_silent" };
      }
      return psp.returnPix(order);
    },
    async close() {
      await Promise.all([psp.close(), control.close()]);
    },
  };
}

type Control = {
  /** One call. `read` finds the needed value in its answer, or returns null. */
  call<T>(
    path: string,
    body: unknown,
    read: (answer: unknown) => T | null,
    method?: "GET" | "POST" | "PATCH",
  ): Promise<Outcome<T>>;
  /** A call whose answer has nothing that is needed. */
  done(path: string, body: unknown): Promise<Outcome<null>>;
  close(): Promise<void>;
};

function createControl(settings: ControlSettings): Control {
  if (!URL.canParse(settings.controlUrl)) throw new TypeError("controlUrl: not a URL");
  if (!settings.controlToken) throw new TypeError("controlToken: missing");
  const base = new URL(settings.controlUrl);
  const outbound = createOutbound({
    origin: base.origin,
    maxConnections: MAX_CONNECTIONS,
    maxPending: MAX_PENDING,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    timeoutMs: settings.timeoutMs ?? TIMEOUT_MS,
    tls: settings.tls,
  });
  const prefix = base.pathname.replace(/(?<!\/)\/+$/, "");
  const json = "application/json";
  const headers = ["accept", json, "content-type", json, "authorization", `Bearer ${settings.controlToken}`];

  const call: Control["call"] = async (path, body, read, method = "POST") => {
    const answer = await outbound.send({
      method,
      path: prefix + path,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      maxAnswerBytes: MAX_ANSWER_BYTES,
    });
    if (answer.kind === "unsent") return answer;
    if (answer.kind === "lost") return { kind: "unknown", reason: answer.reason };
    const { status } = answer;
    const content = parseJson(answer.body);
    if (status >= 200 && status <= 299) {
      const value = read(content);
      return value === null ? { kind: "unknown", reason: "unexpected_answer" } : { kind: "accepted", value };
    }
    // The control API is part of this project, so its 4xx means that nothing was done.
    if (status >= 400 && status <= 499 && status !== 408 && status !== 429) {
      const { code, message } = record(content) ?? {};
      const isNamed = typeof code === "string" && !String(message).startsWith(NO_ROUTE);
      // Its own 404 names the missing object. Otherwise another program answers at a wrong address, or this version has no
      // such call.
      if (status === 404 && !isNamed) return { kind: "unknown", reason: WRONG_CONTROL_URL };
      return { kind: "rejected", httpStatus: status, code: isNamed ? code : `http_${status}`, message: "" };
    }
    return { kind: "unknown", reason: `http_${status}` };
  };

  return {
    call,
    async done(path, body) {
      const outcome = await call(path, body, () => true);
      return outcome.kind === "accepted" ? { kind: "accepted", value: null } : outcome;
    },
    close: () => outbound.close(),
  };
}

/** What takes the bank down: every call of a client is answered before anything is done. */
const OUTAGE = { route: "*", kind: "error5xxBefore", probability: 1, status: 503 };

type Faults = { readonly seed: number; readonly rules: readonly unknown[] };

/** Adds or removes the rule of an outage. Other faults that somebody has set stay. */
async function setOutage({ call }: Control, to: boolean | undefined): Promise<Outcome<boolean>> {
  const read = await call("/behaviour", undefined, readFaults, "GET");
  if (read.kind !== "accepted") return read;
  const { seed, rules } = read.value;
  const others = rules.filter((rule) => !isOutage(rule));
  const isDown = others.length < rules.length;
  if (to === undefined || to === isDown) return { kind: "accepted", value: isDown };
  const faults = { seed, rules: to ? [OUTAGE, ...others] : others };
  const changed = await call("/behaviour", { faults }, readFaults, "PATCH");
  return changed.kind === "accepted" ? { kind: "accepted", value: changed.value.rules.some(isOutage) } : changed;
}

const isOutage = (rule: unknown): boolean => {
  const found = record(rule) ?? {};
  return (["route", "kind", "probability", "status"] as const).every((name) => found[name] === OUTAGE[name]);
};

function readFaults(answer: unknown): Faults | null {
  const { seed, rules } = record(record(answer)?.faults) ?? {};
  return typeof seed === "number" && Array.isArray(rules) ? { seed, rules } : null;
}

function readPaid(answer: unknown): { readonly e2eId: string } | null {
  const e2eId = readText(answer, "e2eId");
  return e2eId === null ? null : { e2eId };
}

const returnPath = (e2eId: string, id: string): string =>
  `/pix/${encodeURIComponent(e2eId)}/returns/${encodeURIComponent(id)}`;

function readText(answer: unknown, field: string): string | null {
  const value = record(answer)?.[field];
  return typeof value === "string" && value !== "" ? value : null;
}
