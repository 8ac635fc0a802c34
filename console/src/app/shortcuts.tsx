import { Modal } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";

/** After `G`. */
const PLACES: Readonly<Record<string, string>> = { i: "/", c: "/charges", e: "/statement", s: "/withdrawals" };
/** How long `G` waits for its second key. */
const SECOND_KEY_MS = 1_500;
/** What opens a row, in a table or in a phone's list. */
const ROWS = "main .opens td:first-child :is(a, button), main .two-lines .row:is(a, button)";

/** What `?` lists: keys, and the key of their text. */
const KEYS = [
  ["Ctrl K  /", "keys.search"],
  ["G I · C · E · S", "keys.go"],
  ["J  K", "keys.move"],
  ["Enter", "keys.open"],
  ["F", "keys.filter"],
  ["N", "keys.new"],
  ["Esc", "keys.close"],
  ["?", "keys.list"],
] as const;

/** Puts the focus on the row after (or before) the one that has it. */
function moveFocus(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)].filter((row) => row.checkVisibility());
  const at = rows.indexOf(document.activeElement as HTMLElement);
  rows[at < 0 ? 0 : Math.min(Math.max(at + by, 0), rows.length - 1)]?.focus();
}

/** Letters that go somewhere, and their list. None of them moves money; while somebody types they are letters. */
export function Shortcuts() {
  const { t } = useTranslation();
  const [, go] = useLocation();
  const [listed, list] = useState(false);
  useEffect(() => {
    let pressedG = 0;
    const acts: Readonly<Record<string, () => void>> = {
      n: () => go("/charges?new=1"),
      j: () => moveFocus(1),
      k: () => moveFocus(-1),
      f: () => document.querySelector<HTMLElement>("main .chip")?.focus(),
      "?": () => list(true),
    };
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select, [role=dialog]"))
        return;
      const key = event.key.toLowerCase();
      const place = event.timeStamp - pressedG < SECOND_KEY_MS ? PLACES[key] : undefined;
      pressedG = key === "g" ? event.timeStamp : 0;
      if (place !== undefined) go(place);
      else acts[key]?.();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [go]);
  return (
    <Modal
      opened={listed}
      onClose={() => list(false)}
      title={t("keys.title")}
      closeButtonProps={{ "aria-label": t("panel.close") }}
      transitionProps={{ duration: 120 }}
    >
      <dl className="facts" style={{ marginTop: 0 }}>
        {KEYS.map(([keys, text]) => (
          <div key={text} style={{ display: "contents" }}>
            <dt className="mono">{keys}</dt>
            <dd>{t(text)}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
