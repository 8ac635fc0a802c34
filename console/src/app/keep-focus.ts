import { useEffect } from "react";

/**
 * Keeps the keyboard where the reader is: where the focused element goes, such as a form that was sent, the panel or the screen
 * that it was in gets the focus, in place of the page as a whole.
 */
export function useKeepFocus(): void {
  useEffect(() => {
    let last: { readonly element: Element; readonly place: HTMLElement | null } | null = null;
    const onFocus = ({ target }: FocusEvent) => {
      if (target instanceof Element)
        last = { element: target, place: target.closest<HTMLElement>("[role=dialog], main") };
    };
    const observer = new MutationObserver(() => {
      if (last === null || last.element.isConnected || document.activeElement !== document.body) return;
      const place = last.place?.isConnected ? last.place : document.getElementById("content");
      last = null;
      if (place === null) return;
      if (!place.hasAttribute("tabindex")) place.tabIndex = -1;
      place.focus({ preventScroll: true });
    });
    document.addEventListener("focusin", onFocus);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener("focusin", onFocus);
      observer.disconnect();
    };
  }, []);
}
