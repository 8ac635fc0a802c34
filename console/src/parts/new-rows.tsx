import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "./icon.tsx";

/** A screen reader hears of further rows this often at most, ms. */
const SAY_EVERY_MS = 5_000;

/** Above a list's rows, without taking space: how many came, or left, since they were shown. Pressed, it shows them. */
export function NewRows({ fresh, gone, onShow }: { fresh: number; gone: number; onShow: (byKey: boolean) => void }) {
  const { t } = useTranslation();
  const text = [fresh > 0 && t("filters.fresh", { count: fresh }), gone > 0 && t("filters.gone", { count: gone })]
    .filter(Boolean)
    .join(" · ");
  const said = useAtMostEvery(text, SAY_EVERY_MS);
  return (
    <div className="new-rows">
      <span className="hidden" role="status">
        {said}
      </span>
      {text !== "" && (
        // A key's click has no count.
        <button type="button" onClick={({ detail }) => onShow(detail === 0)}>
          <Icon name="top" size={13} /> {text}
        </button>
      )}
    </div>
  );
}

/** The text as it was so long ago at most. */
function useAtMostEvery(text: string, ms: number): string {
  const [said, say] = useState("");
  const last = useRef(0);
  useEffect(() => {
    const timer = setTimeout(
      () => {
        last.current = Date.now();
        say(text);
      },
      Math.max(0, last.current + ms - Date.now()),
    );
    return () => clearTimeout(timer);
  }, [text, ms]);
  return said;
}
