import { AssertionError } from "node:assert/strict";
import { Client, type Reply, type Sandbox } from "../../gateway/test/harness/client.ts";
import { pause } from "../../gateway/test/harness/eventually.ts";
import { pick, type Random, stream } from "../harness/random.ts";
import type { Gate } from "./gate.ts";

/** What everybody in a torture works with. */
export type Scene = {
  readonly seed: number;
  readonly sandbox: Sandbox;
  readonly accountNumber: number;
  /** The simulator's control API. */
  readonly simulator: Client;
  /** `http://127.0.0.1:port` of each gateway. */
  readonly gateways: readonly string[];
  /** No new work any more; what is begun is carried to its end. */
  over(): boolean;
  /** Milliseconds between two pieces of work of one person. */
  readonly paceMs: number;
  readonly findings: string[];
  /** Answers that callers have got so far. */
  readonly answers: { count: number };
  /** Whether the books have a return that the institution made by itself, and a withdrawal as ended, or as paid. */
  isReturned(e2eId: string): Promise<boolean>;
  hasEnded(withdrawalId: string): Promise<boolean>;
  isPaid(withdrawalId: string): Promise<boolean>;
  /** Closed while the installation is restored: nobody begins a piece of work. */
  readonly gate: Gate;
};

/** One try as the caller remembers it. `status` null: no answer came. */
export type Try<T> = { readonly status: number | null; readonly body: T | null };

/** A caller who repeats each call at either gateway until it is decided. */
export type Desk = {
  /** Repeats the call while the gateway is down, busy, or does not know the token. */
  insist<T>(call: (client: Client) => Promise<Reply<T>>, each?: (one: Try<T>) => void): Promise<Reply<T>>;
  /** To the next piece of work. */
  rest(): Promise<void>;
  readonly random: Random;
};

/**
 * Answers after which the same call is made again; not where another decision stands in the way. 408: a gateway that had no processor for
 * long takes a request that came meanwhile for one that is late, and has done nothing.
 */
const AGAIN = new Set([401, 408, 409, 429]);
const DECIDED = /"(CASE_CHANGED|CASE_PROPOSAL_OPEN|PROPOSAL_CHANGED)"/;
const isWord = ({ status, text }: Pick<Reply, "status" | "text">): boolean =>
  status < 500 && (!AGAIN.has(status) || DECIDED.test(text));

/** @param as the sandbox's merchant, its operator, a credential of the merchant's, or another operator's token. */
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
  // Where a call goes and how long a pause is must not move the work that the seed plans.
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
          if (isWord(reply)) {
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

/** The wallets beside the main one, and the receivers of splits and transfers. */
export const LOJAS = ["loja-1", "loja-2", "loja-3"] as const;
