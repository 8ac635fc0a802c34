import { ConnectionError } from "@pixgate/sdk";
import { useSyncExternalStore } from "react";
import { isRefusal } from "./calls.ts";

/** Since when no read was answered; null while they are. Of this page: all its reads go to one gateway. */
let since: Date | null = null;
let answeredAt = new Date();
const listeners = new Set<() => void>();

function set(next: Date | null): void {
  if (since === next) return;
  since = next;
  for (const listener of listeners) listener();
}

/** What a proxy answers in the place of a gateway that is away. */
const PROXYS = new Set([502, 504]);

/** A read was answered. */
export function noteAnswer(): void {
  answeredAt = new Date();
  set(null);
}

/** A read failed: refused, which is an answer too, or not answered. What is shown is as old as the last answer then. */
export function noteFailure(error: unknown): void {
  if (isRefusal(error)) {
    if (PROXYS.has(error.status)) set(since ?? answeredAt);
    else noteAnswer();
  } else if (error instanceof ConnectionError || error instanceof TypeError) set(since ?? answeredAt);
}

/** When the gateway answered last, while it does not. */
export const useSilence = (): Date | null =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => since,
  );
