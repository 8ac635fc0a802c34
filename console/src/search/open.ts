import { useSyncExternalStore } from "react";

let isAsked = false;
const listeners = new Set<() => void>();

/** Opens the search. What it is made of is loaded when it is opened first, so it then comes a moment later. */
export const openSearch = (): void => {
  isAsked = true;
  for (const listener of listeners) listener();
  void import("@mantine/spotlight").then(({ spotlight }) => spotlight.open());
};

/** Whether the search was opened since the page was loaded. */
export const useSearchAsked = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isAsked,
  );
