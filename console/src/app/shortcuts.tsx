import { lazy, Suspense, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { Boundary } from "../parts/boundary.tsx";
import { openSearch } from "../search/open.ts";
import { withTexts } from "../texts/language.ts";

const KeyList = lazy(() => withTexts(() => import("./key-list.tsx"), "screens"));

/** After `G`. */
const PLACES: Readonly<Record<string, string>> = { i: "/", c: "/charges", e: "/statement", s: "/withdrawals" };
/** How long `G` waits for its second key. */
const SECOND_KEY_MS = 1_500;
/** What opens a row, in a table or in a phone's list. */
const ROWS = "main .opens td:first-child :is(a, button), main .two-lines .row:is(a, button)";

/** Puts the focus on the row after (or before) the one that has it. */
function moveFocus(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)].filter((row) => row.checkVisibility());
  const at = rows.indexOf(document.activeElement as HTMLElement);
  rows[at < 0 ? 0 : Math.min(Math.max(at + by, 0), rows.length - 1)]?.focus();
}

/** Letters that open a screen, and the list of them. None of them moves money; in a text field they are letters. */
export function Shortcuts() {
  const [, go] = useLocation();
  const [listed, list] = useState(false);
  const [wasListed, setWasListed] = useState(false);
  if (listed && !wasListed) setWasListed(true);
  useEffect(() => {
    let pressedG = 0;
    const acts: Readonly<Record<string, () => void>> = {
      n: () => go("/charges?new=1"),
      j: () => moveFocus(1),
      k: () => moveFocus(-1),
      ".": () => document.querySelector<HTMLElement>("main .new-rows button")?.click(),
      f: () => document.querySelector<HTMLElement>("main .chip")?.focus(),
      "?": () => list(true),
    };
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.altKey || target.closest("input, textarea, select, [role=dialog]")) return;
      const key = event.key.toLowerCase();
      const hasModifier = event.ctrlKey || event.metaKey;
      if (hasModifier ? key === "k" : key === "/") {
        // The browser's own search uses these keys too.
        event.preventDefault();
        openSearch();
      }
      if (hasModifier) return;
      const place = event.timeStamp - pressedG < SECOND_KEY_MS ? PLACES[key] : undefined;
      pressedG = key === "g" ? event.timeStamp : 0;
      if (place !== undefined) go(place);
      else acts[key]?.();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [go]);
  return (
    <Boundary>
      <Suspense fallback={null}>{wasListed && <KeyList opened={listed} onClose={() => list(false)} />}</Suspense>
    </Boundary>
  );
}
