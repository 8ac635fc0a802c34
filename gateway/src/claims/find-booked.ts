import { isIndistinct, pairReturns } from "../psp/pair-returns.ts";
import type { PspReturn } from "../psp/psp.ts";
import type { ClaimedPix } from "./pix.ts";
import type { PspMadeReturn } from "./psp-return.ts";

type Booked = { readonly id: string; readonly rtrId: string | null; readonly amount: number } & (
  | { readonly by: "us" }
  | { readonly by: "psp"; readonly pspReturnId: string }
);

/**
 * The booked return that a return of the PSP's list is; null: it is not booked. A return of ours carries our id and is never
 * marked as a MED's.
 */
export function findBooked(pix: ClaimedPix, pspReturn: PspReturn, all: readonly PspReturn[]): Booked | null {
  // A list that lags may lack this return, so it is added at the end. Where the list has it already, the copy at the end
  // stays without a pair: of two equal returns the earlier one is paired first.
  const list = [...all.filter(({ status }) => status === "settled"), pspReturn];
  const isSame = (listed: PspReturn) =>
    all.includes(pspReturn) ? listed === pspReturn : listed.id === pspReturn.id && listed.rtrId === pspReturn.rtrId;
  return pair(pix, list)[list.findIndex(isSame)]!;
}

/** Whether a return that is not booked has the ids of a booked one. */
export const isUnclear = (pix: ClaimedPix, pspReturn: PspReturn): boolean => isIndistinct(bookedOf(pix), pspReturn);

/** The returns that a PSP shows, ended or under way, that are not booked and that we did not request. */
export function findUnbooked(pix: ClaimedPix, pspReturns: readonly PspReturn[]): PspReturn[] {
  const list = pspReturns.filter(({ status }) => status === "settled" || status === "processing");
  const pairs = pair(pix, list);
  return list.filter((_, i) => pairs[i] === null);
}

const pair = (pix: ClaimedPix, pspReturns: readonly PspReturn[]): (Booked | null)[] =>
  pairReturns(bookedOf(pix), pspReturns, ({ by }, { med }) => by === "psp" || !med);

function bookedOf(pix: ClaimedPix): Booked[] {
  const ours = pix.returns.filter(({ status }) => status !== "failed");
  const made = Map.groupBy(pix.pspReturns, ({ pspReturnId }) => pspReturnId);
  return [
    ...ours.map(({ pspId, rtrId, amount }) => ({ by: "us" as const, id: pspId, rtrId, amount })),
    // A refund that was settled late is ours; its parts among the PSP's returns carry its id too.
    ...[...made].map(([pspReturnId, parts]) => {
      const [{ pspId, rtrId }] = parts as [PspMadeReturn];
      return { by: "psp" as const, pspReturnId, id: pspId, rtrId, amount: sumOf(parts) };
    }),
  ];
}

const sumOf = (parts: readonly { readonly amount: number }[]): number =>
  parts.reduce((total, { amount }) => total + amount, 0);
