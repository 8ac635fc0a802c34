import { eventually } from "../../gateway/test/harness/eventually.ts";
import { pick } from "../harness/random.ts";
import { type Case, decideCase, find, PATIENCE, readCase } from "./cases.ts";
import { createDesk, type Desk, type Scene } from "./desk.ts";
import { approveMoved, comesTrue, type SecondHuman, withdraw } from "./second-human.ts";

/** A Pix without a charge, and the operator's decision about it. Centavos. */
type Stranger = {
  readonly e2eId: string;
  readonly amount: number;
  fate: (typeof FATES)[number];
  /** The amount that the bank has returned by itself. */
  returned: number;
};

/** `moved`: the bank returns a part before the proposal as own money is approved, so the receipt stays undecided. */
const FATES = ["left", "own money", "returned", "moved"] as const;

export type HouseLog = {
  /** The operator's own movements: made at the institution and recorded. Centavos. */
  readonly entries: { readonly kind: "top_up" | "sweep" | "tariff"; readonly amount: number }[];
  readonly strangers: Stranger[];
  /** The institution's opening balance plus the operator's own movements since. Centavos. */
  opening: number;
};

/** The institution's balance at the start, which the operator records as its first top-up. Centavos. */
const OPENING = 1_000_000_000;
export const emptyHouseLog = (): HouseLog => ({ entries: [], strangers: [], opening: OPENING });

/** Runs an operator who pays own money in, takes fees out, and decides about Pix without a charge. */
export async function runHouse(scene: Scene, log: HouseLog, human: SecondHuman): Promise<void> {
  const desk = createDesk(scene, "house", "operator");
  type Listed = { items: { id: string; provider: string }[] };
  const { body } = await desk.insist<Listed>((client) => client.get("/institutions"));
  const institutionId = body.items.find(({ provider }) => provider === "simulator")!.id;
  await record(scene, desk, log, { institutionId, kind: "top_up", amount: OPENING });
  while (!scene.over()) {
    await desk.rest();
    const what = pick(desk.random, ["top_up", "sweep", "tariff", "stranger", "stranger"] as const);
    const amount = 1 + Math.floor(desk.random() * 50_000);
    if (what === "stranger") {
      await decideStranger(scene, desk, log, human, amount, pick(desk.random, FATES));
      continue;
    }
    log.opening += what === "top_up" ? amount : -amount;
    const moved = await scene.simulator.patch("/behaviour", { openingBalanceCentavos: log.opening });
    if (moved.status !== 200) scene.findings.push(`the operator's money did not move: ${moved.text}`);
    await record(scene, desk, log, { institutionId, kind: what, amount });
  }
}

type Entry = HouseLog["entries"][number] & { readonly institutionId: string };

async function record(scene: Scene, desk: Desk, log: HouseLog, { institutionId, kind, amount }: Entry): Promise<void> {
  const headers = { "idempotency-key": `torture-treasury-${scene.seed}-${log.entries.length}` };
  log.entries.push({ kind, amount });
  // Fifteen minutes ago: the programs' clocks are minutes wrong, and a future movement cannot be recorded.
  const occurredAt = new Date(Date.now() - 900_000).toISOString();
  const body = { kind, amount: amount / 100, institutionId, occurredAt };
  const { status, text } = await desk.insist((client) => client.post("/treasury", body, { headers }));
  if (status !== 201) scene.findings.push(`a ${kind} was answered ${status}: ${text}`);
}

async function decideStranger(
  scene: Scene,
  desk: Desk,
  log: HouseLog,
  human: SecondHuman,
  amount: number,
  fate: Stranger["fate"],
): Promise<void> {
  const { e2eId } = (await scene.simulator.post<{ e2eId: string }>("/pix", { amountCentavos: amount })).body;
  const stranger: Stranger = { e2eId, amount, fate, returned: 0 };
  log.strangers.push(stranger);
  if (fate === "left") return;
  const id = await findReceipt(desk, e2eId);
  if (fate === "moved") return decideMoved(scene, desk, human, stranger, id);
  const done = fate === "returned" ? await sendBack(desk, id) : await decideCase(desk, KIND, id, OWN);
  if (done.status !== 200) scene.findings.push(`a receipt that is ${fate} was answered ${done.status}: ${done.text}`);
}

const KIND = "unmatched_receipt";
const OWN = { action: "treasury", parameters: { kind: "top_up" } };

/** Returns the receipt at once where one person may, otherwise proposes it in its case. */
async function sendBack(desk: Desk, id: string) {
  const reply = await desk.insist((client) => client.post(`/unmatched/${id}/resolve`, { action: "return" }));
  return reply.text.includes("TWO_PERSONS_REQUIRED") ? decideCase(desk, KIND, id, { action: "return" }) : reply;
}

/**
 * Proposes the receipt as own money; the bank then returns a part; the second human's approval must then be refused.
 */
async function decideMoved(scene: Scene, desk: Desk, human: SecondHuman, one: Stranger, id: string): Promise<void> {
  const isIts = ({ objectId }: Case) => objectId === id;
  const found = await eventually("the case", () => find<Case>(desk, `/cases?kind=${KIND}`, isIts), PATIENCE);
  human.held.add(found.id);
  await desk.insist((client) => client.post(`/cases/${found.id}/propose`, OWN));
  const { proposal } = await readCase(desk, found.id);
  if (proposal?.status !== "awaiting_approval") {
    // One person was enough: no second human is needed.
    human.held.delete(found.id);
    one.fate = "own money";
    await decideCase(desk, KIND, id, OWN);
    return;
  }
  const amountCentavos = Math.max(1, Math.floor(one.amount / 2));
  const back = await scene.simulator.post(`/pix/${one.e2eId}/med-return`, { amountCentavos });
  if (back.status !== 200) scene.findings.push(`the bank could not return a part of ${one.e2eId}: ${back.text}`);
  one.returned = amountCentavos;
  if (!(await comesTrue(scene, () => scene.isReturned(one.e2eId)))) return withdraw(desk, found, proposal.id);
  const end = await approveMoved(scene, human, found, proposal.id);
  if (end === "refused") human.decided.movedByBank += 1;
  else scene.findings.push(`${one.e2eId} was ${end} as own money, and a part had gone back before it was approved`);
}

/** Waits until the gateway has the receipt; returns its id. */
async function findReceipt(desk: Desk, e2eId: string): Promise<string> {
  type Receipt = { id: string; e2eId: string };
  const listed = () => find<Receipt>(desk, "/unmatched?kind=receipt", (one) => one.e2eId === e2eId);
  return (await eventually(`the receipt of ${e2eId}`, listed, PATIENCE)).id;
}
