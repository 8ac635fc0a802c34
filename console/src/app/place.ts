import { useLayoutEffect, useRef } from "react";
import { useLocation } from "wouter";

/** How long a screen may take until it is as high again as it was left, ms. */
const SETTLED_MS = 2_000;
/** What a person does who goes elsewhere on the screen. */
const OWN_MOVES = ["wheel", "touchmove", "keydown", "pointerdown"] as const;

/** Where each screen was left, pixels from its top. */
const places = new Map<string, number>();

/**
 * Begins a screen at its top; one that a person goes back to is shown where they left it. Whoever came by what has vanished since, such
 * as a row, goes on in the content.
 */
export function usePlace(): void {
  const [path] = useLocation();
  const isBack = useRef(false);
  const isFirst = useRef(true);
  const shown = useRef("");
  useLayoutEffect(() => {
    const note = () => {
      // On the same screen, as from one of its tabs to the one before, nothing is begun.
      isBack.current = window.location.pathname !== shown.current;
    };
    // Before the router hears of it.
    window.addEventListener("popstate", note, true);
    return () => window.removeEventListener("popstate", note, true);
  }, []);
  useLayoutEffect(() => {
    const place = isBack.current ? (places.get(path) ?? 0) : 0;
    isBack.current = false;
    shown.current = window.location.pathname;
    const settle = isFirst.current ? () => undefined : showAt(place);
    isFirst.current = false;
    const keep = () => void places.set(path, window.scrollY);
    window.addEventListener("scroll", keep, { passive: true });
    return () => {
      window.removeEventListener("scroll", keep);
      settle();
    };
  }, [path]);
}

/**
 * Scrolls to a place, again as the screen grows, until the person moves.
 *
 * @returns ends it.
 */
function showAt(place: number): () => void {
  const content = document.getElementById("content");
  const show = () => window.scrollTo({ top: place });
  show();
  // The screen before stays until the next one is loaded, hidden: the browser takes the focus from it in the next frame.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) content?.focus({ preventScroll: true });
    }),
  );
  if (place === 0 || content === null) return () => undefined;
  const growing = new ResizeObserver(show);
  growing.observe(content);
  const end = () => {
    growing.disconnect();
    clearTimeout(timer);
    for (const move of OWN_MOVES) window.removeEventListener(move, end);
  };
  const timer = setTimeout(end, SETTLED_MS);
  for (const move of OWN_MOVES) window.addEventListener(move, end, { passive: true });
  return end;
}
