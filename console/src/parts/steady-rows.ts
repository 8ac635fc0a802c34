import { useQueryClient } from "@tanstack/react-query";
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { steady } from "./steady.ts";

/**
 * Whether a person uses the list: rows that moved now would move under the pointer, the focus, or a reader who has
 * scrolled.
 */
function isReaderIn(list: HTMLElement | null): boolean {
  if (list === null) return false;
  const focus = document.activeElement;
  // It is outside of the list's element, and belongs to the list.
  const announcement = document.querySelector(`[aria-controls="${list.id}"]`);
  const selection = document.getSelection();
  return (
    window.scrollY > 0 ||
    list.matches(":hover") ||
    list.contains(focus) ||
    announcement?.matches(":hover, :focus") === true ||
    // A panel above the list, from which the person comes back to it.
    focus?.closest("[role=dialog]") != null ||
    (selection?.isCollapsed === false && list.contains(selection.anchorNode)) ||
    list.querySelector("details[open]") !== null
  );
}

/** What opens a row, whatever a row is. */
const OPENS = ".rows-shown :is(a, button, summary)";

/** Puts the focus on the first row. */
function focusFirst(list: HTMLElement | null): void {
  [...(list?.querySelectorAll<HTMLElement>(OPENS) ?? [])].find((one) => one.checkVisibility())?.focus();
}

/** A person who has moved the pointer or pressed a key within this time may be on the way to a row, ms. */
const UNDER_WAY_MS = 5_000;
const ACTS = ["pointermove", "pointerdown", "keydown", "wheel"];

type Shown<Item> = { readonly of: string; readonly rows: readonly Item[] };

/**
 * Rows that stand still while their reader is at them, or may be on the way there. What came meanwhile is counted until the reader asks for it (`show`,
 * which takes the keyboard to the first row) or leaves; what the reader's own act brought comes at once.
 *
 * @param of the list's name: another one begins anew.
 * @param latest as last read at `readAt` (ms); undefined until then.
 */
export function useSteadyRows<Item>(
  {
    of,
    latest,
    readAt,
    isWhole,
  }: { of: string; latest: readonly Item[] | undefined; readAt: number; isWhole: boolean },
  keyOf: (item: Item) => string,
) {
  const list = useRef<HTMLDivElement>(null);
  const shown = useRef<Shown<Item>>({ of, rows: [] });
  const own = useRef({ isDone: false, readAt });
  const [round, setRound] = useState(0);
  const [, renew] = useState(0);
  const before = shown.current.of === of && latest !== undefined ? shown.current.rows : [];
  // biome-ignore lint/correctness/useExhaustiveDependencies: what names a row does not change
  const now = useMemo(
    () =>
      before.length === 0
        ? { rows: latest ?? [], fresh: 0, gone: 0, isLatest: true }
        : steady(before, latest ?? [], keyOf, isWhole),
    [before, latest, isWhole],
  );
  /** `anew`: as new elements, of which none has moved; what has the focus would lose it. */
  const take = useLatest((anew: boolean) => {
    shown.current = { of, rows: latest ?? [] };
    if (anew) setRound((last) => last + 1);
    else renew((last) => last + 1);
  });
  const isHeld = !now.isLatest;
  const actedAt = useActedAt();
  useLayoutEffect(() => {
    shown.current = { of, rows: now.isLatest ? (latest ?? []) : now.rows };
    const isOwn = own.current.isDone;
    if (own.current.readAt !== readAt) own.current = { isDone: false, readAt };
    if (!isHeld) return;
    if (isOwn) take.current(!isReaderIn(list.current));
    else if (!isReaderIn(list.current) && restOf(actedAt.current) === 0) take.current(true);
  });
  useTakenOnLeaving(list, isHeld, take, actedAt);
  useOwnActs(() => {
    own.current.isDone = true;
    if (isHeld) take.current(false);
  });
  const isByKey = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once the rows are there anew
  useLayoutEffect(() => {
    if (isByKey.current) focusFirst(list.current);
    isByKey.current = false;
  }, [round]);
  const show = (byKey: boolean) => {
    isByKey.current = byKey;
    if ((list.current?.getBoundingClientRect().top ?? 0) < 0) list.current?.scrollIntoView();
    take.current(true);
  };
  return { list, rows: now.rows, fresh: now.fresh, gone: now.gone, round, show };
}

function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value);
  latest.current = value;
  return latest;
}

/** When the person last moved the pointer or pressed a key, as the page counts time. */
function useActedAt(): RefObject<number> {
  const actedAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const note = () => {
      actedAt.current = performance.now();
    };
    for (const name of ACTS) document.addEventListener(name, note, { capture: true, passive: true });
    return () => {
      for (const name of ACTS) document.removeEventListener(name, note, { capture: true });
    };
  }, []);
  return actedAt;
}

/** How long after that act a person counts as resting, ms. */
const restOf = (actedAt: number): number => Math.max(0, actedAt + UNDER_WAY_MS - performance.now());

/** Shows the held-back rows as soon as nobody uses the list or may be on the way to it. */
function useTakenOnLeaving(
  list: RefObject<HTMLElement | null>,
  isHeld: boolean,
  take: RefObject<(anew: boolean) => void>,
  actedAt: RefObject<number>,
): void {
  useEffect(() => {
    if (!isHeld) return;
    let frame = 0;
    let timer: ReturnType<typeof setTimeout>;
    // Pointer and focus have arrived where they go by the next frame.
    const look = () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      frame = requestAnimationFrame(() => {
        if (isReaderIn(list.current)) return;
        const rest = restOf(actedAt.current);
        if (rest === 0) take.current(true);
        else timer = setTimeout(look, rest);
      });
    };
    look();
    const events = ["pointerout", "focusout", "focusin", "scroll", "selectionchange", "toggle"];
    for (const name of events) document.addEventListener(name, look, { capture: true, passive: true });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      for (const name of events) document.removeEventListener(name, look, { capture: true });
    };
  }, [isHeld, list, take, actedAt]);
}

/** Reports each act of the person that the gateway has answered. */
function useOwnActs(onAct: () => void): void {
  const acts = useQueryClient().getMutationCache();
  const latest = useLatest(onAct);
  useEffect(
    () =>
      acts.subscribe((event) => {
        if (event.type === "updated" && (event.action.type === "success" || event.action.type === "error"))
          latest.current();
      }),
    [acts, latest],
  );
}
