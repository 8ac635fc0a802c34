import { eventually } from "../../gateway/test/harness/eventually.ts";
import { pick } from "../harness/random.ts";
import { createDesk, type Desk, type Scene } from "./desk.ts";

/** A Pix that names no charge, and what the operator made of it. Centavos. */
type Stranger = { readonly e2eId: string; readonly amount: number; readonly fate: (typeof FATES)[number] };

const FATES = ["left", "own money", "returned"] as const;

export type HouseLog = {
  /** Movements of the operator's own money that it recorded, and made at the institution. Centavos. */
  readonly entries: { readonly kind: "top_up" | "sweep" | "tariff"; readonly amount: number }[];
  readonly strangers: Stranger[];
  /** What the institution's account was opened with, with what the operator has put in and taken out since. Centavos. */
  opening: number;
};

/** What the institution holds before anything moves; the operator records it as its first top-up. Centavos. */
const OPENING = 1_000_000_000;
export const emptyHouseLog = (): HouseLog => ({ entries: [], strangers: [], opening: OPENING });

/** An operator who puts own money in, takes fees out, and decides what Pix without a charge are. */
export async function runHouse(scene: Scene, log: HouseLog): Promise<void> {
  const desk = createDesk(scene, "house", "operator");
  const { body } = await desk.insist<{ items: { id: string }[] }>((client) => client.get("/institutions"));
  const institutionId = body.items[0]!.id;
  await record(scene, desk, log, { institutionId, kind: "top_up", amount: OPENING });
  while (!scene.over()) {
    await desk.rest();
    const what = pick(desk.random, ["top_up", "sweep", "tariff", "stranger", "stranger"] as const);
    const amount = 1 + Math.floor(desk.random() * 50_000);
    if (what === "stranger") {
      await decideStranger(scene, desk, log, amount, pick(desk.random, FATES));
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
  // Clocks are minutes wrong, and nothing is recorded before it has happened.
  const occurredAt = new Date(Date.now() - 900_000).toISOString();
  const body = { kind, amount: amount / 100, institutionId, occurredAt };
  const { status, text } = await desk.insist((client) => client.post("/treasury", body, { headers }));
  if (status !== 201) scene.findings.push(`a ${kind} was answered ${status}: ${text}`);
}

async function decideStranger(
  scene: Scene,
  desk: Desk,
  log: HouseLog,
  amount: number,
  fate: Stranger["fate"],
): Promise<void> {
  const { e2eId } = (await scene.simulator.post<{ e2eId: string }>("/pix", { amountCentavos: amount })).body;
  log.strangers.push({ e2eId, amount, fate });
  if (fate === "left") return;
  const id = await findReceipt(desk, e2eId);
  const done =
    fate === "returned"
      ? await desk.insist((client) => client.post(`/unmatched/${id}/resolve`, { action: "return" }))
      : await bookAsOwn(desk, id);
  if (done.status !== 200) scene.findings.push(`a receipt that is ${fate} was answered ${done.status}: ${done.text}`);
}

/** Milliseconds in which the gateway has a receipt and its case; a torture can keep it away for most of its own time. */
const PATIENCE = 3_600_000;

/** The receipt's id, once the gateway has it. */
async function findReceipt(desk: Desk, e2eId: string): Promise<string> {
  type Receipt = { id: string; e2eId: string };
  const listed = () => find<Receipt>(desk, "/unmatched?kind=receipt", (one) => one.e2eId === e2eId);
  return (await eventually(`the receipt of ${e2eId}`, listed, PATIENCE)).id;
}

/** The first item of a list that fits, on whichever page: a long run has hundreds of receipts. */
async function find<T>(desk: Desk, path: string, fits: (item: T) => boolean): Promise<T | null> {
  for (let cursor: string | null = ""; cursor !== null; ) {
    const after: string = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    const { status, body, text } = await desk.insist<{ items: T[]; nextCursor: string | null }>((client) =>
      client.get(`${path}&limit=100${after}`),
    );
    if (status !== 200) throw new Error(`${path} was answered ${status}: ${text}`);
    const found = body.items.find(fits);
    if (found) return found;
    cursor = body.nextCursor;
  }
  return null;
}

type Case = {
  readonly id: string;
  readonly objectId: string;
  readonly status: string;
  readonly proposal?: { readonly status: string };
};

/** Proposes it until the case is closed: an answer that was lost may have executed the proposal, or only stored it. */
async function bookAsOwn(desk: Desk, objectId: string) {
  const decided = async () => {
    const found = await find<Case>(desk, "/cases?kind=unmatched_receipt", (one) => one.objectId === objectId);
    if (found?.status === "closed") return { status: 200, text: "" };
    if (!found || found.proposal !== undefined) return null;
    const wanted = { action: "treasury", parameters: { kind: "top_up" } };
    const { status, text } = await desk.insist((client) => client.post(`/cases/${found.id}/propose`, wanted));
    // Meanwhile the proposal whose answer was lost is there, or executed.
    return status === 200 || /CASE_CLOSED|CASE_PROPOSAL_OPEN/.test(text) ? null : { status, text };
  };
  return eventually(`the case of ${objectId} to be decided`, decided, PATIENCE);
}
