import type { PixgateOperator } from "@pixgate/sdk";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { dayOf } from "../parts/instant.ts";
import { shortId } from "../parts/short-id.ts";
import { useSession } from "../session/session.tsx";

/** The stream reports cases, brakes, findings, institutions and closes; what shows anything else reads it again this often, ms. */
export const AGAIN_MS = 10_000;
/** Names that a screen keeps at most; beyond it the id is shown. */
const NAMES = 500;

/** Every institution, by name and health. What asks for it at the same time shares one answer. */
export const institutionsQuery = (operator: PixgateOperator) =>
  queryOptions({
    queryKey: ["operator", "institutions"],
    queryFn: () => operator.institutions.list({ limit: 100 }).toArray({ limit: NAMES }),
  });

export function useInstitutions() {
  const { operator } = useSession();
  return useQuery({ ...institutionsQuery(operator), refetchInterval: AGAIN_MS });
}

/** The day on which the oldest institution was added: nothing is compared or closed before it. Null: there is none, or it is not read. */
export function useFirstDay(): { readonly first: string | null; readonly isPending: boolean } {
  const { data, isPending } = useInstitutions();
  const [oldest] = (data ?? []).map(({ createdAt }) => createdAt).sort();
  return { first: oldest === undefined ? null : dayOf(new Date(oldest)), isPending };
}

/** How all institutions answered: in the last hour, and their outages of a day. Read by everybody with a role here. */
export const activityQuery = (operator: PixgateOperator) => ({
  queryKey: ["operator", "activity"],
  queryFn: () => operator.institutions.activity(),
});

export function useActivity() {
  const { operator } = useSession();
  return useQuery({ ...activityQuery(operator), refetchInterval: AGAIN_MS });
}

/** Every bank that an institution may be of: what it can do and takes. It changes with the gateway's version only. */
export function useBanks() {
  const { operator } = useSession();
  return useQuery({
    queryKey: ["operator", "banks"],
    queryFn: () => operator.banks.list().toArray({ limit: NAMES }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The brakes that are set, with what waits behind each. */
export function useBrakes() {
  const { operator } = useSession();
  return useQuery({
    queryKey: ["operator", "brakes"],
    queryFn: async () => {
      const { items } = await operator.brakes.list({ lifted: false, limit: 100 }).page();
      return items.filter(({ paused }) => paused);
    },
    refetchInterval: AGAIN_MS,
  });
}

export function useAccounts() {
  const { operator } = useSession();
  return useQuery({
    queryKey: ["operator", "accounts"],
    queryFn: () => operator.accounts.list({ limit: 100 }).toArray({ limit: NAMES }),
    staleTime: 60_000,
  });
}

/** Gives the name of an account or institution; the end of its id while the name is not known. */
export function useNames(): (id: string | null | undefined) => string {
  const institutions = useInstitutions();
  const accounts = useAccounts();
  const names = new Map([...(accounts.data ?? []), ...(institutions.data ?? [])].map(({ id, name }) => [id, name]));
  return (id) => (id === null || id === undefined ? "" : (names.get(id) ?? shortId(id)));
}
