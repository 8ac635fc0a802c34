/** A second operator, who decides late about what the first one may not do alone, and sometimes against it. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client, Reply } from "../../gateway/test/harness/client.ts";
import { pause } from "../../gateway/test/harness/eventually.ts";
import { createDesk, type Desk, type Scene } from "./desk.ts";

const BIN = fileURLToPath(new URL("../../gateway/bin/pixgate.mjs", import.meta.url));

/** What one operator of a torture may move alone, BRL: soon nothing more. */
export const ALONE = "150.00";
/** Share of the calls that are rejected: whoever asked asks again. */
const REJECTED = 0.2;
/** Milliseconds that a decision takes at most. */
const LATEST = 4_000;

/** The token of another human than the sandbox's: it was made on the machine. */
export async function makeSecondHuman(folder: string, databaseUrl: string): Promise<string> {
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
  return (JSON.parse(out) as { token: string }).token;
}

type Case = {
  readonly id: string;
  readonly kind: string;
  readonly status: "open" | "closed";
  readonly proposal?: { readonly id: string; readonly status: string };
};
type Page = { readonly items: readonly Case[] };

/** Decides about whatever awaits approval, until nobody asks any more. */
export async function runSecondHuman(
  scene: Scene,
  token: string,
  isOver: () => boolean,
  counts: Decided,
): Promise<void> {
  const desk = createDesk(scene, "second human", { token });
  for (;;) {
    const isLast = isOver();
    const { body } = await desk.insist<Page>((client) => client.get("/cases?status=open&limit=100"));
    const waiting = body.items.filter(({ proposal }) => proposal?.status === "awaiting_approval");
    if (isLast && waiting.length === 0) return;
    await Promise.all(waiting.map((one) => decide(desk, one, counts)));
    await pause(200);
  }
}

/** What the second human did. */
export type Decided = { approved: number; rejected: number };

async function decide(desk: Desk, { id, kind, proposal }: Case, counts: Decided): Promise<void> {
  const isRejected = kind === "second_person_needed" && desk.random() < REJECTED;
  await pause(desk.random() * LATEST);
  const body = { proposalId: proposal!.id };
  const verb = isRejected ? "reject" : "approve";
  // At two gateways at once, now and then.
  const calls = desk.random() < 0.3 ? [0, 1] : [0];
  const replies = await Promise.all(
    calls.map(() => desk.insist((client) => client.post(`/cases/${id}/${verb}`, body))),
  );
  if (replies.some(({ status }) => status === 200)) counts[isRejected ? "rejected" : "approved"] += 1;
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
      const { body } = await desk.insist<Case>((client) => client.get(`/cases/${caseId}`));
      if (body.status === "closed") {
        if (body.proposal?.status === "executed") return { ...reply, status };
        break;
      }
      await pause(300);
    }
  }
}
