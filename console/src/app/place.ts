import { useLayoutEffect, useRef } from "react";
import { useLocation } from "wouter";

/** How long a screen may take to be as high again as when it was left, ms. */
const SETTLED_MS = 2_000;
/** Events by which a person moves the screen. */
const OWN_MOVES = ["wheel", "touchmove", "keydown", "pointerdown"] as const;

/** Where each screen was left, pixels from its top. */
const places = new Map<string, number>();

/**
 * Shows a new screen from its top, and one that a person goes back to where they left it. If the element that had the
 * focus is gone, such as a row, the focus goes to the content.
 */
export function usePlace(): void {
  const [path] = useLocation();
  const isBack = useRef(false);
  const isFirst = useRef(true);
  const shown = useRef("");
  useLayoutEffect(() => {
    const note = () => {
      // Between tabs of one screen nothing is scrolled.
      isBack.current = window.location.pathname !== shown.current;
    };
    // Runs before the router gets the event.
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

/** Scrolls to a place, and repeats that while the screen grows, until the person moves. @returns ends it. */
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
