import { useQuery } from "@tanstack/react-query";
import { unlessForbidden } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";

/** What the running month of the wallet comes to so far; null for whoever may not read it. */
export function useThisMonth() {
  const { pixgate, scope } = useSession();
  return useQuery({
    queryKey: [...scope, "statement", "month"],
    queryFn: () => unlessForbidden(pixgate.statement.summary()),
  }).data;
}
