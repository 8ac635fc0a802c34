import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { MARIA } from "../contract/payouts.ts";
import { Client, type Reply } from "../harness/client.ts";
import { eventually, pause } from "../harness/eventually.ts";
import type { Site } from "./site.ts";

/** BRL: of each charge, and of each withdrawal. */
const [CHARGE, WITHDRAWAL] = [10, 4];
/** Milliseconds before a call that found no gateway is tried again. */
const AGAIN = 50;

/** Somebody who sells, with an account of her own without fees. */
type Person = { readonly accountId: string; readonly clientId: string; readonly clientSecret: string };

/** What somebody was answered. A charge is `completed` once she has read that. */
export type Answered = {
  readonly accountId: string;
  readonly id: string;
  readonly what: "charge" | "completed" | "withdrawal";
};

type Traffic = {
  /** What was answered up to now, in this order. */
  readonly answered: readonly Answered[];
  /** Waits until everybody has sold and withdrawn this many times more. */
  stage(rounds: number): Promise<void>;
  /** Lets everybody end what she has begun. */
  end(): Promise<void>;
  /** Everybody gives up. */
  abandon(): void;
};

/** Opens accounts at the operator's, one for each person. */
export async function newPeople(site: Site, count: number): Promise<Person[]> {
  const { operatorUrl, operatorToken } = site.sandbox();
  const operator = new Client(operatorUrl).withToken(operatorToken);
  const rights = { name: "a test", permissions: ["FULL_ACCESS"], subAccountAccess: true };
  return Promise.all(
    Array.from({ length: count }, async () => {
      const account = await operator.post<{ id: string }>("/accounts", { name: `Test ${randomUUID()}` });
      assert.equal(account.status, 201, account.text);
      const accountId = account.body.id;
      const made = await operator.post<Omit<Person, "accountId">>(`/accounts/${accountId}/credentials`, rights);
      assert.equal(made.status, 201, made.text);
      return { accountId, clientId: made.body.clientId, clientSecret: made.body.clientSecret };
    }),
  );
}

/**
 * People who sell, are paid and withdraw without a pause, at whichever gateway answers. What was not answered is tried again
 * with its key.
 */
export function startTraffic(site: Site, people: readonly Person[]): Traffic {
  const answered: Answered[] = [];
  const rounds = people.map(() => 0);
  const about = { over: false, abandoned: false };
  const sell = async (person: Person, name: number) => {
    const insist = callerOf(site, person, about);
    const note = (what: Answered["what"], id: string) => answered.push({ accountId: person.accountId, id, what });
    while (!about.over) {
      const headers = { "idempotency-key": randomUUID() };
      const charge = await insist((client) =>
        client.post("/pix", { amount: CHARGE, description: "sold" }, { headers }),
      );
      note("charge", charge.id);
      await insist((client) => client.post(`/sandbox/pix/${charge.id}/pay`, {}));
      while ((await insist((client) => client.get(`/transactions/${charge.id}`))).status !== "completed")
        await pause(AGAIN);
      note("completed", charge.id);
      const out = { ...MARIA, amount: WITHDRAWAL };
      note("withdrawal", (await insist((client) => client.post("/withdrawals", out, { headers }))).id);
      rounds[name]! += 1;
    }
  };
  // Whoever awaits it hears of a failure; it must not end the process before.
  const all = Promise.all(people.map(sell));
  all.catch(() => {});
  return {
    answered,
    async stage(more) {
      const until = rounds.map((done) => done + more);
      const there = () => rounds.every((done, name) => done >= until[name]!);
      await Promise.race([all, eventually("everybody's rounds", there, 90_000)]);
    },
    async end() {
      about.over = true;
      await all;
    },
    abandon() {
      about.abandoned = true;
    },
  };
}

type Body = { readonly id: string; readonly status: string };

/** Calls until a gateway has answered that it is done. */
function callerOf(site: Site, person: Person, about: { readonly abandoned: boolean }) {
  const clients = new Map<string, Client>();
  const at = async (base: string): Promise<Client> => {
    const known = clients.get(base) ?? (await new Client(base).login(person.clientId, person.clientSecret));
    clients.set(base, known);
    return known;
  };
  return async (call: (client: Client) => Promise<Reply<Body>>): Promise<Body> => {
    for (let tries = 0; ; tries += 1) {
      if (about.abandoned) throw new Error("the traffic was abandoned");
      const base = site.bases[tries % site.bases.length]!;
      const reply = await at(base)
        .then(call)
        .catch(() => null);
      if (reply !== null && reply.status < 300) return reply.body;
      // A gateway that stops takes no more calls; one whose database goes first says that the call may be repeated.
      const isLost = reply?.status === 500 && /"retryable":true/.test(reply.text);
      assert.ok(reply === null || reply.status === 503 || isLost, reply?.text);
      await pause(AGAIN);
    }
  };
}
