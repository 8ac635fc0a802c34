import { isIndistinct, pairReturns } from "../outgoing/pair-returns.ts";
import type { PspReturn } from "../psp/psp.ts";
import type { ClaimedPix } from "./pix.ts";
import type { PspMadeReturn } from "./psp-return.ts";

type Booked = { readonly id: string; readonly rtrId: string | null; readonly amount: number } & (
  | { readonly by: "us" }
  | { readonly by: "psp"; readonly pspReturnId: string }
);

/** The booked return that a shown one is; null: none is. Ours repeats our id, and is never a MED's. */
export function findBooked(pix: ClaimedPix, shown: PspReturn, all: readonly PspReturn[]): Booked | null {
  // A list that lags may be without it. Where it has it, the copy at the end takes no pair from the others: the earlier of two
  // that are alike is paired first.
  const list = [...all.filter(({ status }) => status === "settled"), shown];
  const isShown = (one: PspReturn) =>
    all.includes(shown) ? one === shown : one.id === shown.id && one.rtrId === shown.rtrId;
  return pair(pix, list)[list.findIndex(isShown)]!;
}

/** True of a return that is not booked, under the names of one that is. */
export const isUnclear = (pix: ClaimedPix, shown: PspReturn): boolean => isIndistinct(bookedOf(pix), shown);

/** Those of the returns that a PSP shows, ended or under way, that are not booked and were not requested by us. */
export function findUnbooked(pix: ClaimedPix, shown: readonly PspReturn[]): PspReturn[] {
  const list = shown.filter(({ status }) => status === "settled" || status === "processing");
  const pairs = pair(pix, list);
  return list.filter((_, i) => pairs[i] === null);
}

const pair = (pix: ClaimedPix, shown: readonly PspReturn[]): (Booked | null)[] =>
  pairReturns(bookedOf(pix), shown, ({ by }, { med }) => by === "psp" || !med);

function bookedOf(pix: ClaimedPix): Booked[] {
  const ours = pix.returns.filter(({ status }) => status !== "failed");
  const made = Map.groupBy(pix.pspReturns, ({ pspReturnId }) => pspReturnId);
  return [
    ...ours.map(({ pspId, rtrId, amount }) => ({ by: "us" as const, id: pspId, rtrId, amount })),
    // A refund that was settled late is one of ours, and its parts name it too.
    ...[...made].map(([pspReturnId, parts]) => {
      const [{ pspId, rtrId }] = parts as [PspMadeReturn];
      return { by: "psp" as const, pspReturnId, id: pspId, rtrId, amount: sumOf(parts) };
    }),
  ];
}

const sumOf = (parts: readonly { readonly amount: number }[]): number =>
  parts.reduce((total, { amount }) => total + amount, 0);
