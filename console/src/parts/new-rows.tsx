import { useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "react-i18next";
import { Icon } from "./icon.tsx";

/** A screen reader hears of further rows this often at most, ms. */
const SAY_EVERY_MS = 5_000;

/** Where a screen shows the announcements of its lists, side by side: in the page's margin, where they cover nothing. */
const PLACE = "new-rows";
export const NewRowsPlace = () => <div className="new-rows" id={PLACE} />;

type Props = {
  /** Id of the list's element. */
  list: string;
  /** The list's name, where the screen has another one. */
  name: string | undefined;
  fresh: number;
  gone: number;
  onShow: (byKey: boolean) => void;
};

/** How many rows came, or left, since a list's were shown. Pressed, it shows them. */
export function NewRows({ list, name, fresh, gone, onShow }: Props) {
  const { t } = useTranslation();
  const counts = [fresh > 0 && t("filters.fresh", { count: fresh }), gone > 0 && t("filters.gone", { count: gone })]
    .filter(Boolean)
    .join(" · ");
  const text = name === undefined || counts === "" ? counts : `${name}: ${counts}`;
  const said = useAtMostEvery(text, SAY_EVERY_MS);
  const place = document.getElementById(PLACE);
  return (
    <>
      <span className="hidden" role="status">
        {said}
      </span>
      {text !== "" &&
        place !== null &&
        createPortal(
          // A key's click has no count.
          <button type="button" aria-controls={list} onClick={({ detail }) => onShow(detail === 0)}>
            <Icon name="top" size={13} /> {text}
          </button>,
          place,
        )}
    </>
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
