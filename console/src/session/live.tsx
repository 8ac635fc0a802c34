import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { useSession } from "./session.tsx";

/** What is shown is read again this often while there is no stream. */
const POLL_MS = 10_000;
/** Changes that arrive together refresh the screen once. */
const GATHER_MS = 400;

const LiveContext = createContext(true);
/** False while changes do not arrive by themselves, and the screens poll. */
export const useLive = (): boolean => useContext(LiveContext);

/** Reads again what is shown as soon as something happened in the account; every ten seconds while it is not connected. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const { account, wallet } = useSession();
  const queries = useQueryClient();
  const [live, setLive] = useState(true);
  useEffect(() => {
    const refresh = () => void queries.invalidateQueries({ refetchType: "active" });
    const search = new URLSearchParams({ account: account.accountId, ...(wallet !== null && { subAccount: wallet }) });
    const stream = new EventSource(`/v2/events/stream?${search}`);
    let gathering: ReturnType<typeof setTimeout> | undefined;
    let polling: ReturnType<typeof setInterval> | undefined;
    const onEvent = () => {
      gathering ??= setTimeout(() => {
        gathering = undefined;
        refresh();
      }, GATHER_MS);
    };
    stream.onopen = () => {
      if (polling !== undefined) refresh();
      clearInterval(polling);
      polling = undefined;
      setLive(true);
    };
    stream.onerror = () => {
      setLive(false);
      polling ??= setInterval(refresh, POLL_MS);
    };
    // Every kind of event has a name of its own, and a listener hears only the name it was added for.
    for (const name of ["message", "event"]) stream.addEventListener(name, onEvent);
    return () => {
      stream.close();
      clearInterval(polling);
      clearTimeout(gathering);
    };
  }, [account.accountId, wallet, queries]);
  return <LiveContext value={live}>{children}</LiveContext>;
}
