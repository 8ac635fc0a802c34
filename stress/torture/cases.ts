import { eventually } from "../../gateway/test/harness/eventually.ts";
import type { Desk } from "./desk.ts";

/** A case as operators read it. */
export type Case = {
  readonly id: string;
  readonly kind: string;
  readonly objectId: string;
  readonly accountId?: string;
  readonly institutionId?: string;
  readonly status: "open" | "closed";
  readonly evidence: { readonly data?: Readonly<Record<string, unknown>> };
  readonly proposal?: { readonly id: string; readonly status: string; readonly result?: { readonly code?: string } };
};

/** Longest wait for a receipt and its case, milliseconds: the faults can delay them for most of the run. */
export const PATIENCE = 3_600_000;

/** All items of a list, page by page: a long run has hundreds of cases. */
export async function listAll<T>(desk: Desk, path: string, until: (item: T) => boolean = () => false): Promise<T[]> {
  const all: T[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const after: string = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    const { status, body, text } = await desk.insist<{ items: T[]; nextCursor: string | null }>((client) =>
      client.get(`${path}&limit=100${after}`),
    );
    if (status !== 200) throw new Error(`${path} was answered ${status}: ${text}`);
    all.push(...body.items);
    if (body.items.some(until)) return all;
    cursor = body.nextCursor;
  }
  return all;
}

/** The first item of a list that fits, on whichever page. */
export const find = async <T>(desk: Desk, path: string, fits: (item: T) => boolean): Promise<T | null> =>
  (await listAll<T>(desk, path, fits)).find(fits) ?? null;

export const readCase = async (desk: Desk, id: string): Promise<Case> => {
  const { status, body, text } = await desk.insist<Case>((client) => client.get(`/cases/${id}`));
  if (status !== 200) throw new Error(`case ${id} was answered ${status}: ${text}`);
  return body;
};

export const isWaiting = ({ proposal }: Case): boolean =>
  proposal?.status === "awaiting_approval" || proposal?.status === "approved";

/**
 * Proposes the action until the case is closed: a lost answer may mean that the proposal was executed, or only stored.
 */
export async function decideCase(desk: Desk, kind: string, objectId: string, wanted: object) {
  const decided = async () => {
    const found = await find<Case>(desk, `/cases?kind=${kind}`, (one) => one.objectId === objectId);
    if (found?.status === "closed") return { status: 200, text: "" };
    if (!found || isWaiting(found)) return null;
    const { status, text } = await desk.insist((client) => client.post(`/cases/${found.id}/propose`, wanted));
    // The proposal whose answer was lost is stored or executed by now.
    return status === 200 || /CASE_CLOSED|CASE_PROPOSAL_OPEN/.test(text) ? null : { status, text };
  };
  return eventually(`the case of ${objectId} to be decided`, decided, PATIENCE);
}
