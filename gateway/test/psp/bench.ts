/** What the contract is tried on: an adapter at a bank of its own. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Psp } from "../../src/psp/psp.ts";
import { type Certificates, makeCertificates } from "../harness/certificates.ts";
import { eventually } from "../harness/eventually.ts";
import { startSimulatorPsp } from "../harness/simulator-psp.ts";
import { type Meeting, meet } from "./meetings.ts";

export type Bench = Awaited<ReturnType<typeof startBench>>;

/** The adapter's patience where a bank is made to be silent (for 500), milliseconds; behind a bridge a call is two. */
const HASTE = 200;
const BRIDGED_HASTE = 350;

/** Tries of a hasty call until one has left. */
const TRIES = 20;

/**
 * Makes a call until it has left. A hasty one may be over before its connection is up; then nothing has happened, and the
 * bank's fault has not been met.
 */
export async function untilSent<Outcome extends { readonly kind: string }>(
  call: () => Promise<Outcome>,
): Promise<Outcome> {
  for (let tries = 1; ; tries += 1) {
    const outcome = await call();
    if (outcome.kind !== "unsent" || tries === TRIES) return outcome;
  }
}

/** Null without openssl. */
let certificates: Certificates | null | undefined;

export async function startBench(meeting: Meeting) {
  const closers: (() => unknown)[] = [];
  const later = { after: (close: () => unknown) => closers.push(close) };
  if (meeting.tls !== "none") certificates ??= makeCertificates();
  const { args, settings } = meet(meeting, certificates ?? null);
  const started = await startSimulatorPsp(later as never, settings, args, meeting.bank, meeting.bridge);
  const another = (more: typeof settings): Psp => started.another({ ...settings, ...more });
  const { psp } = started;

  let count = 0;
  /** A txid that no other charge of this bank has. */
  const newTxid = () => `test${String(++count).padStart(24, "0")}`;
  /** A Pix of so many centavos that has come in. */
  async function receipt(amount: number): Promise<string> {
    const txid = newTxid();
    await psp.createCharge({ txid, amount, expiresIn: 60, description: "" });
    const paid = await psp.sandbox!.payCharge({ txid });
    assert.ok(paid.kind === "accepted", JSON.stringify(paid));
    return paid.value.e2eId;
  }
  /** The last line of the bank's log before the fault that is set now. */
  let before = 0;
  const faults: typeof started.faults = async (...fault) => {
    before = (await started.control("GET", "/log?limit=1")).lastSeq;
    return started.faults(...fault);
  };
  /** Takes the fault of a route back once the bank has met it: a hasty call may be over before a busy bank has read it. */
  async function calm(route: string): Promise<void> {
    await eventually(`the bank meets the fault of ${route}`, async () => {
      const { entries } = await started.control("GET", `/log?after=${before}`);
      return (entries as { type: string; route?: string }[]).some((one) => one.type === "fault" && one.route === route);
    });
    await started.control("DELETE", "/behaviour");
  }
  /** A receiver of notifications, which keeps what comes. */
  async function listen(): Promise<{ url: string; bodies: { path: string; body: string }[] }> {
    const bodies: { path: string; body: string }[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        bodies.push({ path: request.url ?? "", body });
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closers.push(() => {
      server.close();
      server.closeAllConnections();
    });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
  }
  return {
    ...started,
    ...{ meeting, another, newTxid, receipt, faults, calm, listen },
    /** The same adapter with little patience. */
    hasty: another({ timeoutMs: meeting.bridge ? BRIDGED_HASTE : HASTE }),
    async end() {
      for (const close of closers.reverse()) await close();
    },
  };
}

/** After the last bench. */
export function removeCertificates(): void {
  certificates?.remove();
  certificates = undefined;
}
