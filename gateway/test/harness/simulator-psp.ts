/** The simulator in this process, spoken to over HTTP by the adapter, and made to misbehave past it. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { Agent, fetch } from "undici";
import { adapterSettings } from "../../src/psp/api-pix/settings.ts";
import type { Bank, PspEvent } from "../../src/psp/bank.ts";
import type { OutboundTls } from "../../src/psp/outbound.ts";
import type { Outcome } from "../../src/psp/outcome.ts";
import type { Psp } from "../../src/psp/psp.ts";
import { bank as simulator } from "../../src/psp/simulator/bank.ts";
import { runSimulator } from "./simulator.ts";

/** Of an institution, as an operator writes them. */
type Settings = Readonly<Record<string, unknown>>;

type Credentials = { clientId: string; clientSecret: string; controlToken: string; pixKey: string };

/** A simulator that runs. */
export type Simulated = { readonly url: string; readonly credentials: Credentials };

/** A server between an adapter and the simulator, with the settings by which the adapter finds it. */
export type Front = {
  readonly settings: Settings;
  close(): Promise<void>;
  /** Enters an address for notifications as a person does it, at a bank that has no call for that. */
  enterAddress?(url: string): Promise<void>;
};

/** As the adapters read it (psp/outbound.ts): a p12 is base64. */
const connectOptions = ({ ca, cert, key, pfx, passphrase }: OutboundTls): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries({ ca, cert, key, passphrase, pfx: pfx && Buffer.from(pfx as string, "base64") }).filter(
      ([, value]) => value !== undefined,
    ),
  );

/** A simulator of its own for a test (or, given node:test's `after`, a suite), with an adapter on it; both are gone after it. */
export async function startSimulatorPsp(
  t: Pick<TestContext, "after">,
  settings: Settings = {},
  args: readonly string[] = [],
  bank: Bank = simulator,
  bridge?: (simulated: Simulated) => Promise<Front>,
) {
  const folder = await mkdtemp(join(tmpdir(), "pixgate-psp-"));
  const { url, stop: end } = await runSimulator(folder, args);
  let front: Front | undefined;
  let ended: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    ended ??= Promise.resolve(front?.close()).then(end);
    return ended;
  };
  const psps: Psp[] = [];
  t.after(async () => {
    await Promise.all(psps.map((psp) => psp.close()));
    await stop();
    await rm(folder, { recursive: true, force: true });
  });

  const credentials = JSON.parse(await readFile(join(folder, "credentials.json"), "utf8")) as Credentials;
  const { clientId, clientSecret, controlToken, pixKey } = credentials;
  front = await bridge?.({ url, credentials });
  const found = front?.settings ?? {
    baseUrl: `${url}/v2`,
    tokenUrl: `${url}/oauth/token`,
    clientId,
    clientSecret,
    pixKey,
  };
  const events: PspEvent[] = [];
  let stoppedAt: number | undefined;
  const clock = {
    now: () => stoppedAt ?? Date.now(),
    stop: () => {
      stoppedAt = Date.now();
    },
  };
  /** One more adapter on the same simulator. */
  const another = (other: Settings): Psp => {
    const psp = bank.create(
      {
        ...found,
        controlUrl: `${url}/control`,
        controlToken,
        timeoutMs: 30_000,
        ...other,
      },
      { clock, log: (event) => events.push(event) },
    );
    psps.push(psp);
    return psp;
  };
  const psp = another(settings);
  const { tls } = adapterSettings(settings);
  // Without keep-alive: on a busy machine a call could meet a connection that the simulator is just closing.
  const dispatcher = new Agent({ pipelining: 0, ...(tls && { connect: connectOptions(tls) }) });
  t.after(() => dispatcher.destroy());
  /** A call of the control API; gives its answer. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field, and a wrong one fails its test
  async function control(method: string, path: string, body?: unknown): Promise<any> {
    const response = await fetch(`${url}/control${path}`, {
      dispatcher,
      method,
      headers: { authorization: `Bearer ${controlToken}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const said = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${said}`);
    return said === "" ? undefined : JSON.parse(said);
  }
  /** One fault for every call of a route, until the next. */
  const faults = (route: string, kind: string, more: object = {}) =>
    control("PATCH", "/behaviour", { faults: { seed: 1, rules: [{ route, kind, probability: 1, ...more }] } });
  /** Has notifications sent to an address; gives how the bank took it. */
  const notify = async (to: string): Promise<Outcome<null>> => {
    if (psp.registerNotifications) return psp.registerNotifications(to);
    await front?.enterAddress?.(to);
    return { kind: "accepted", value: null };
  };
  return { url, psp, another, credentials, control, faults, clock, events, stop, notify };
}
