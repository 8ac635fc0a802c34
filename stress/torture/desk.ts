import { AssertionError } from "node:assert/strict";
import { Client, type Reply, type Sandbox } from "../../gateway/test/harness/client.ts";
import { pause } from "../../gateway/test/harness/eventually.ts";
import { pick, type Random, stream } from "../harness/random.ts";
import type { Gate } from "./gate.ts";

/** The programs and logs that all workers of a torture share. */
export type Scene = {
  readonly seed: number;
  readonly sandbox: Sandbox;
  readonly accountNumber: number;
  /** The simulator's control API. */
  readonly simulator: Client;
  /** `http://127.0.0.1:port` of each gateway. */
  readonly gateways: readonly string[];
  /** True once no new work may begin; work under way is finished. */
  over(): boolean;
  /** Milliseconds between two pieces of work of a worker. */
  readonly paceMs: number;
  readonly findings: string[];
  /** Number of answers that callers have got. */
  readonly answers: { count: number };
  /** Whether the books have a return that the institution made by itself; below: a withdrawal as ended, or as paid. */
  isReturned(e2eId: string): Promise<boolean>;
  hasEnded(withdrawalId: string): Promise<boolean>;
  isPaid(withdrawalId: string): Promise<boolean>;
  /** Closed while the installation is restored: no work may begin. */
  readonly gate: Gate;
};

/** A try of a call, as the caller knows it. `status` null: it got no answer. */
export type Try<T> = { readonly status: number | null; readonly body: T | null };

/** A caller that repeats each call, at any gateway, until the answer is final. */
export type Desk = {
  /** Repeats the call while the gateway is down, busy, or does not know the token. */
  insist<T>(call: (client: Client) => Promise<Reply<T>>, each?: (one: Try<T>) => void): Promise<Reply<T>>;
  /** Pauses until the next piece of work. */
  rest(): Promise<void>;
  readonly random: Random;
};

/**
 * Statuses after which the same call is repeated, except for the codes in `FINAL_CODES`. 408: a gateway that got no CPU
 * for long treats a waiting request as too slow, and has done nothing.
 */
const REPEATED_AFTER = new Set([401, 408, 409, 429]);
const FINAL_CODES = /"(CASE_CHANGED|CASE_PROPOSAL_OPEN|PROPOSAL_CHANGED)"/;
const isFinal = ({ status, text }: Pick<Reply, "status" | "text">): boolean =>
  status < 500 && (!REPEATED_AFTER.has(status) || FINAL_CODES.test(text));

/**
 * @param as who calls: the sandbox's merchant, its operator, a credential of the merchant, or another operator's token.
 */
export function createDesk(
  scene: Scene,
  name: string,
  as:
    | "merchant"
    | "operator"
    | { readonly clientId: string; readonly clientSecret: string }
    | { readonly token: string } = "merchant",
): Desk {
  const random = stream(scene.seed, name);
  // The choice of a gateway and the pauses have their own random stream, so that they do not shift the work that the
  // seed plans.
  const chance = stream(scene.seed, `${name}, on the way`);
  const clients = new Map<string, Client>();

  async function clientOf(gateway: string): Promise<Client> {
    const token = as === "operator" ? scene.sandbox.operatorToken : as !== "merchant" && "token" in as && as.token;
    if (token) return new Client(`${gateway}/operator/v1`).withToken(token);
    const known = clients.get(gateway);
    if (known) return known;
    const { clientId, clientSecret } = as === "merchant" ? scene.sandbox : (as as Sandbox);
    const client = await new Client(`${gateway}/v2`).login(clientId, clientSecret);
    clients.set(gateway, client);
    return client;
  }

  return {
    random,
    async insist(call, each) {
      for (;;) {
        const gateway = pick(chance, scene.gateways);
        try {
          const reply = await call(await clientOf(gateway));
          each?.({ status: reply.status, body: reply.body });
          if (isFinal(reply)) {
            scene.answers.count += 1;
            return reply;
          }
          if (reply.status === 401) clients.delete(gateway);
        } catch (error) {
          clients.delete(gateway);
          each?.({ status: null, body: null });
          if (error instanceof AssertionError) scene.findings.push(error.message);
        }
        await pause(50 + chance() * 150);
      }
    },
    async rest() {
      await pause(scene.paceMs * (0.5 + chance()));
      await scene.gate.pass();
    },
  };
}

/** The sub-accounts, which receive splits and transfers. */
export const LOJAS = ["loja-1", "loja-2", "loja-3"] as const;
