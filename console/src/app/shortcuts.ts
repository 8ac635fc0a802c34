import { useEffect } from "react";
import { useLocation } from "wouter";

/** After `G`. */
const PLACES: Readonly<Record<string, string>> = { i: "/", c: "/charges", e: "/statement", s: "/withdrawals" };
/** How long `G` waits for its second key. */
const SECOND_KEY_MS = 1_500;

/** Letters that go somewhere. None of them moves money; while somebody types they are letters. */
export function useShortcuts(): void {
  const [, go] = useLocation();
  useEffect(() => {
    let pressedG = 0;
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select, [role=dialog]"))
        return;
      const key = event.key.toLowerCase();
      const place = event.timeStamp - pressedG < SECOND_KEY_MS ? PLACES[key] : undefined;
      pressedG = key === "g" ? event.timeStamp : 0;
      if (place !== undefined) go(place);
      else if (key === "n") go("/charges?new=1");
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [go]);
}
