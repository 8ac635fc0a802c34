import { EVENT_KINDS } from "@pixgate/sdk";
import { type Query, type QueryClient, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { failedReads } from "../parts/failed-reads.ts";
import { isPassing } from "../parts/feedback.tsx";
import { isLong } from "../parts/long-list.ts";
import { readAgain } from "../parts/read-again.ts";
import { isOperators } from "../parts/screen.ts";
import { useSession } from "./session.tsx";

/** What is shown is read again this often while there is no stream. */
const POLL_MS = 10_000;
/** How often it is looked at what could not be read. */
const LOOK_MS = 2_000;
/** Changes that arrive together refresh the screen once. */
const GATHER_MS = 400;
/** After a restart all pages read at once: each begins at a random time within this. */
const SPREAD_MS = 2_000;
/** A stream that opens this soon after the first reading reports all that came since; what has no event is no older than that, ms. */
const SOON_MS = 2_000;
/** After a refusal, which a browser does not repeat by itself, the stream is opened again this much later. */
const REOPEN_MS = 60_000;

const LiveContext = createContext(true);
/** False while changes do not arrive by themselves, and the screens poll. */
export const useLive = (): boolean => useContext(LiveContext);

/** The stream of a wallet, with what came since a time, if one is given. */
function addressOf(account: string, wallet: string | null, since: string | null): string {
  const search = new URLSearchParams({
    account,
    ...(wallet !== null && { subAccount: wallet }),
    ...(since !== null && { since }),
  });
  return `/v2/events/stream?${search}`;
}

/** Whether a change is read again in a query: in all but long lists, or in the list that it is of. */
const isMeant = (query: Query, only: string | undefined): boolean =>
  !isLong(query) && (only === undefined || query.queryKey.includes(only));

/** While it polls, one reading after the other: a slow gateway has no more of each. */
const isPolled = (query: Query): boolean => query.state.fetchStatus === "idle" && !isLong(query);

/**
 * Reads again what could not be read, later after each failure, unless all is read again.
 *
 * @returns what ends that.
 */
function retryFailed(queries: QueryClient, isPolling: () => boolean): () => void {
  const isDue = failedReads(isPassing);
  const retrying = setInterval(() => {
    if (!isPolling() && !document.hidden) void readAgain(queries, (query) => isDue(query, Date.now()));
  }, LOOK_MS);
  return () => clearInterval(retrying);
}

function listen(stream: EventSource, onEvent: () => void, onList: (name: string) => void): void {
  // A listener gets only events of the name that it was added for: none, or the kind of the event. `money`: what moved it has no event.
  for (const name of ["message", "event", "reload", "money", ...EVENT_KINDS]) stream.addEventListener(name, onEvent);
  // A charge that was only made is no event: the lists of charges alone change.
  stream.addEventListener("charges", () => onList("charges"));
}

/** Operators' stream, which reports at once whether anything has changed since a state, if one is given. */
const operatorsAddress = (seen: string | null): string =>
  `/operator/v1/stream${seen === null ? "" : `?${new URLSearchParams({ seen })}`}`;

/**
 * Leaves while nobody sees the page, and comes back: a browser has six connections for a server, and such pages leave theirs to
 * the others.
 *
 * @returns what ends that.
 */
function whileSeen(comeBack: () => void, leave: () => void): () => void {
  let left = false;
  const onVisibility = () => {
    if (document.hidden) {
      leave();
      left = true;
    } else if (left) {
      left = false;
      comeBack();
    }
  };
  document.addEventListener("visibilitychange", onVisibility);
  return () => document.removeEventListener("visibilitychange", onVisibility);
}

/**
 * Reads again what is shown as soon as something happened in the wallet, or changed for operators; every ten seconds while it
 * is not connected. The first stream of a wallet, and each of operators, reports what came since the session was read, before all
 * else. Any other reports what comes after its opening: what was read before is read once more then. During an upgrade a process of
 * 0.1.0 does not say how it was when the session was read, and refuses a stream that is asked for what came since.
 */
export function LiveProvider({ children }: { children: ReactNode }) {
  const { account, wallet, session } = useSession();
  const isOperatorsScreen = isOperators(useLocation()[0]);
  const operates = session.installationRole !== null && isOperatorsScreen;
  const queries = useQueryClient();
  const [live, setLive] = useState(true);
  const firstSince = useRef<string | null>(session.at ?? null);
  const seen = useRef<string | null>(session.installationState ?? null);
  useEffect(() => {
    const refresh = (only?: string) => void readAgain(queries, (query) => isMeant(query, only));
    const firstOfWallet = firstSince.current;
    firstSince.current = null;
    const beganAt = performance.now();
    if (!operates && account.accountId === "") return;
    let stream: EventSource;
    let gathering: ReturnType<typeof setTimeout> | undefined;
    let polling: ReturnType<typeof setInterval> | undefined;
    let reopening: ReturnType<typeof setTimeout> | undefined;
    let [wasOpen, wasRefused] = [false, false];
    const refreshIn = (ms: number) => {
      gathering ??= setTimeout(() => {
        gathering = undefined;
        refresh();
      }, ms);
    };
    const stopPolling = () => {
      clearInterval(polling);
      polling = undefined;
    };
    const open = () => {
      const since = wasRefused ? null : operates ? seen.current : firstOfWallet;
      stream = new EventSource(operates ? operatorsAddress(since) : addressOf(account.accountId, wallet, since));
      stream.onopen = () => {
        const isKnown = since !== null && !wasOpen && performance.now() - beganAt < SOON_MS;
        if (!isKnown) refreshIn(polling === undefined ? GATHER_MS : Math.random() * SPREAD_MS);
        wasOpen = true;
        stopPolling();
        setLive(true);
      };
      stream.onerror = () => {
        if (stream.readyState === EventSource.CLOSED && since !== null) {
          wasRefused = true;
          return open();
        }
        setLive(false);
        polling ??= setInterval(() => void readAgain(queries, isPolled), POLL_MS);
        if (stream.readyState === EventSource.CLOSED) reopening = setTimeout(open, REOPEN_MS);
      };
      listen(stream, () => refreshIn(GATHER_MS), refresh);
      const onState = ({ lastEventId }: MessageEvent) => {
        seen.current = lastEventId;
      };
      if (operates) for (const name of ["begin", "message"]) stream.addEventListener(name, onState);
    };
    open();
    const leave = () => {
      stream.close();
      clearTimeout(reopening);
      stopPolling();
    };
    const ends = [whileSeen(open, leave), retryFailed(queries, () => polling !== undefined), leave];
    return () => {
      for (const end of ends) end();
      clearTimeout(gathering);
    };
  }, [account.accountId, wallet, operates, queries]);
  return <LiveContext value={live}>{children}</LiveContext>;
}
