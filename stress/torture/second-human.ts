/** A second operator, who decides late about calls that the first may not make alone, and rejects some. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client, Reply } from "../../gateway/test/harness/client.ts";
import { pause } from "../../gateway/test/harness/eventually.ts";
import { type Case, listAll, readCase } from "./cases.ts";
import { createDesk, type Desk, type Scene } from "./desk.ts";

const BIN = fileURLToPath(new URL("../../gateway/bin/pixgate.mjs", import.meta.url));

/** The amount that an operator of a torture may move alone in a day, BRL: it is used up soon. */
export const ALONE = "150.00";
/**
 * Shares of the calls that are rejected (and requested again), and of the decisions that are sent to two gateways at
 * once.
 */
const [REJECTED, TWICE] = [0.2, 0.3];
/** Longest delay of a decision, milliseconds. */
const LATEST = 4_000;

/** How often the second human made each decision. */
type Decided = {
  approved: number;
  rejected: number;
  /** Approvals that were refused because the object had moved. */
  movedByBank: number;
  movedByPayout: number;
};

/** A second human, with the cases that they do not decide until the object has moved. */
export type SecondHuman = { readonly token: string; readonly held: Set<string>; readonly decided: Decided };

/** Makes the second human's token with the command on the machine. */
export async function makeSecondHuman(folder: string, databaseUrl: string): Promise<SecondHuman> {
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    PIXGATE_SECRET_KEY: readFileSync(join(folder, "secret.key"), "utf8").trim(),
  };
  const args = [BIN, "token", "create", "--on-this-machine", "--name", "second human", "--json"];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString();
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`the second human got no token: ${code}`);
  const { token } = JSON.parse(out) as { token: string };
  return { token, held: new Set(), decided: { approved: 0, rejected: 0, movedByBank: 0, movedByPayout: 0 } };
}

/** Decides about everything that awaits approval, until the run is over. */
export async function runSecondHuman(scene: Scene, human: SecondHuman, isOver: () => boolean): Promise<void> {
  const desk = createDesk(scene, "second human", human);
  for (;;) {
    const isLast = isOver();
    const open = await listAll<Case>(desk, "/cases?status=open");
    const waiting = open.filter(({ id, proposal }) => proposal?.status === "awaiting_approval" && !human.held.has(id));
    if (isLast && waiting.length === 0) return;
    await Promise.all(waiting.map((one) => decide(desk, one, human.decided)));
    await pause(300);
  }
}

async function decide(desk: Desk, { id, kind, proposal }: Case, decided: Decided): Promise<void> {
  const isRejected = kind === "second_person_needed" && desk.random() < REJECTED;
  await pause(desk.random() * LATEST);
  const verb = isRejected ? "reject" : "approve";
  const calls = desk.random() < TWICE ? [0, 1] : [0];
  const replies = await Promise.all(
    calls.map(() => desk.insist((client) => client.post(`/cases/${id}/${verb}`, { proposalId: proposal!.id }))),
  );
  if (replies.some(({ status }) => status === 200)) decided[isRejected ? "rejected" : "approved"] += 1;
}

/** Approves a proposal whose object has moved since. @returns the proposal's final status: `refused` or `executed`. */
export async function approveMoved(scene: Scene, human: SecondHuman, of: Case, proposalId: string): Promise<string> {
  const desk = createDesk(scene, `second human ${of.id}`, human);
  await desk.insist((client) => client.post(`/cases/${of.id}/approve`, { proposalId }));
  for (;;) {
    const { status, proposal } = await readCase(desk, of.id);
    // A case whose fact is gone closes together with its waiting proposal, which then cannot be approved any more.
    if (proposal?.id === proposalId && proposal.status === "awaiting_approval" && status === "closed") return "refused";
    if (proposal?.id !== proposalId || proposal.status === "refused") return "refused";
    if (proposal.status !== "approved") return proposal.status;
    await pause(300);
  }
}

/** Longest wait for an object to move, milliseconds; the proposal is withdrawn afterwards. */
const MOVES_IN = 60_000;

/** Waits until `ask` succeeds; false when that takes too long, or the run is over. */
export async function comesTrue(scene: Scene, ask: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + MOVES_IN;
  while (!(await ask())) {
    if (performance.now() > until || scene.over()) return false;
    await pause(500);
  }
  return true;
}

/** Withdraws a proposal, as its proposer. */
export async function withdraw(desk: Desk, { id }: Case, proposalId: string): Promise<void> {
  const body = { proposalId, reason: "torture: it has not moved" };
  for (;;) {
    await desk.insist((client) => client.post(`/cases/${id}/reject`, body));
    const { status, proposal } = await readCase(desk, id);
    if (status === "closed" || proposal?.id !== proposalId || proposal.status !== "awaiting_approval") return;
    await pause(300);
  }
}

type Refused = { readonly details?: { readonly code?: string; readonly caseId?: string } };

/**
 * Repeats a call of the first operator until it has taken effect: waits for the second person where one is needed, and
 * requests the call again after a rejection.
 *
 * @param status the answer's status where one person is enough.
 */
export async function untilDecided<T>(
  desk: Desk,
  status: number,
  call: (client: Client) => Promise<Reply<T>>,
): Promise<Reply<T>> {
  for (;;) {
    const reply = await desk.insist(call);
    const { code, caseId } = (reply.body as Refused | null)?.details ?? {};
    if (reply.status !== 403 || code !== "TWO_PERSONS_REQUIRED" || caseId === undefined) return reply;
    for (;;) {
      const one = await readCase(desk, caseId);
      if (one.status === "closed") {
        if (one.proposal?.status === "executed") return { ...reply, status };
        break;
      }
      await pause(300);
    }
  }
}
