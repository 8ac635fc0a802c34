/** A second operator, who decides late about what the first one may not do alone, and sometimes against it. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client, Reply } from "../../gateway/test/harness/client.ts";
import { pause } from "../../gateway/test/harness/eventually.ts";
import { type Case, listAll, readCase } from "./cases.ts";
import { createDesk, type Desk, type Scene } from "./desk.ts";

const BIN = fileURLToPath(new URL("../../gateway/bin/pixgate.mjs", import.meta.url));

/** What one operator of a torture may move alone, BRL: soon nothing more. */
export const ALONE = "150.00";
/** Shares of the calls that are rejected (whoever asked asks again), and of the decisions that are sent to two gateways at once. */
const [REJECTED, TWICE] = [0.2, 0.3];
/** Milliseconds that a decision takes at most. */
const LATEST = 4_000;

/** What the second human did. */
type Decided = {
  approved: number;
  rejected: number;
  /** Approved after its object had moved: refused, with nothing changed. */
  movedByBank: number;
  movedByPayout: number;
};

/** A second human, with the cases that they leave alone until an object has moved. */
export type SecondHuman = { readonly token: string; readonly held: Set<string>; readonly decided: Decided };

/** Another human than the sandbox's operator: the token was made on the machine. */
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

/** Decides about whatever awaits approval, until nobody asks any more. */
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

/** Approves a proposal whose object has moved since. @returns its end: `refused` where nothing was done, or `executed`. */
export async function approveMoved(scene: Scene, human: SecondHuman, of: Case, proposalId: string): Promise<string> {
  const desk = createDesk(scene, `second human ${of.id}`, human);
  await desk.insist((client) => client.post(`/cases/${of.id}/approve`, { proposalId }));
  for (;;) {
    const { status, proposal } = await readCase(desk, of.id);
    // A case whose fact is gone closes with the proposal as it stands: nobody can approve it any more.
    if (proposal?.id === proposalId && proposal.status === "awaiting_approval" && status === "closed") return "refused";
    if (proposal?.id !== proposalId || proposal.status === "refused") return "refused";
    if (proposal.status !== "approved") return proposal.status;
    await pause(300);
  }
}

/** Milliseconds in which what is proposed about moves; a proposal whose object has not moved by then is withdrawn. */
const MOVES_IN = 60_000;

/** Waits until something is so; false where it is not for a while, or all is over. */
export async function comesTrue(scene: Scene, ask: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + MOVES_IN;
  while (!(await ask())) {
    if (performance.now() > until || scene.over()) return false;
    await pause(500);
  }
  return true;
}

/** Who proposed something withdraws it. */
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
 * A call of the first operator until it is done: what needs a second person is waited for, and asked for again where it was
 * rejected.
 *
 * @param status of the answer where one person is enough.
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
