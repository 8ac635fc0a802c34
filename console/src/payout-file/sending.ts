import type { Pixgate } from "@pixgate/sdk";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { createCallKeys } from "../parts/call-keys.ts";
import { readAgain } from "../parts/read-again.ts";
import { useSession } from "../session/session.tsx";
import { findBefore, type Outcome, sendRow } from "./outcome.ts";
import type { PayoutRow } from "./rows.ts";

/** Rows whose earlier payouts are searched at a time. */
const AT_ONCE = 4;

export type Outcomes = ReadonlyMap<number, Outcome>;

/** Rows that are still to be sent: neither made nor made before. */
export const isLeft = (outcomes: Outcomes, { line }: PayoutRow): boolean =>
  !["made", "before"].includes(outcomes.get(line)?.is ?? "");

/**
 * What becomes of the rows: first which of them were made before, then the sending of the others, one after the other. What
 * stops it (a sign-in that is not fresh, no balance, no answer) leaves the rest unsent; the same button goes on.
 */
export function useSending(pixgate: Pixgate, rows: readonly PayoutRow[], onSending: (sending: boolean) => void) {
  const queries = useQueryClient();
  const { scope } = useSession();
  const [outcomes, setOutcomes] = useState<Outcomes>(new Map());
  const [keys] = useState(createCallKeys);
  const note = (row: PayoutRow, outcome: Outcome) => setOutcomes((before) => new Map([...before, [row.line, outcome]]));
  const before = useQuery({
    queryKey: [...scope, "payout-file", rows.map(({ written }) => written.reference)],
    meta: { readOnce: true },
    staleTime: Number.POSITIVE_INFINITY,
    // What is chosen again is searched again.
    gcTime: 0,
    queryFn: async () => {
      const found = new Map<number, Outcome>();
      for (let i = 0; i < rows.length; i += AT_ONCE) {
        const part = rows.slice(i, i + AT_ONCE);
        const known = await Promise.all(part.map(({ request }) => findBefore(pixgate, request!)));
        for (const [j, withdrawal] of known.entries())
          if (withdrawal) found.set(part[j]!.line, { is: "before", withdrawal });
      }
      return found;
    },
  });
  const all: Outcomes = new Map([...(before.data ?? []), ...outcomes]);
  const send = useMutation({
    mutationFn: async () => {
      for (const row of rows.filter((one) => isLeft(all, one))) {
        const request = row.request!;
        try {
          note(row, await sendRow(pixgate, request, keys.keyOf(request)));
        } catch (error) {
          if (mayHaveBeenMade(error)) note(row, { is: "unanswered" });
          throw error;
        }
      }
    },
    onSettled: () => readAgain(queries),
  });
  const { isPending } = send;
  useEffect(() => {
    onSending(isPending);
    if (!isPending) return;
    const warn = (event: Event) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [isPending, onSending]);
  return { before, outcomes: all, send };
}

/** Whether a call that failed may have been done: it was not refused, or the gateway could not say. */
function mayHaveBeenMade(error: unknown): boolean {
  const status = (error as { status?: unknown } | null)?.status;
  return typeof status !== "number" || status >= 500;
}
