import "./payer-page.css";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";

/** What the drawing asks for, BRL. */
const EXAMPLE = 120;

const lightness = (hex: string): number => {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
/** Contrast with white (WCAG 2.2). The page wants 3:1 of its colour. */
const withWhite = (hex: string): number => 1.05 / (lightness(hex) + 0.05);
/** Whether a button of the colour stands out from a white page, as the gateway asks. */
export const isReadable = (hex: string): boolean => withWhite(hex) >= 3;
/** White and black multiply to 21:1 on any colour. */
const inkOn = (hex: string): string => (withWhite(hex) >= Math.sqrt(21) ? "#ffffff" : "#000000");

/** As wide and high as a QR code of a few words, modules. */
const MODULES = 25;
/** How wide the square in its corners is, modules. */
const CORNER = 7;
const CORNERS = [[0, 0], [MODULES - CORNER, 0], [0, MODULES - CORNER]] as const; // biome-ignore format: one line

/** Whether a module is dark: in the corners as in every QR code; between them it only looks like one, so that nobody pays it. */
function isDark(x: number, y: number): boolean {
  for (const [left, top] of CORNERS) {
    const fromMiddle = Math.max(Math.abs(x - left - 3), Math.abs(y - top - 3));
    if (fromMiddle <= 4) return fromMiddle !== 2 && fromMiddle !== 4;
  }
  return (x * x * 7 + y * 13 + x * y * 5) % 7 < 3;
}
const EVERY = Array.from({ length: MODULES }, (_, at) => at);
const CODE = EVERY.flatMap((y) => EVERY.filter((x) => isDark(x, y)).map((x) => `M${x} ${y}h1v1h-1z`)).join("");

/** As the page has them: the first letters of the first two words. */
const initials = (name: string): string =>
  (name.match(/[\p{L}\p{N}]+/gu) ?? [])
    .slice(0, 2)
    .map((word) => [...word][0]!.toUpperCase())
    .join("");

/** A small drawing of the page that a payer sees, on white: as their phone shows it by day. */
export function Preview(props: { name: string; color: string; logo: string | null; contact: string }) {
  const { t } = useTranslation();
  const { name, color, logo, contact } = props;
  const [currency = "", digits] = showBrl(EXAMPLE).split("\u00a0");
  const coloured = { background: color, color: inkOn(color) };
  return (
    <figure className="no-margin">
      <figcaption className="small second gap-below-small">{t("payerPage.preview")}</figcaption>
      <div className="preview-card">
        <div className="abreast-centered">
          {logo === null ? (
            <span className="preview-mark" style={coloured} aria-hidden="true">
              {initials(name)}
            </span>
          ) : (
            <img className="logo-picture" src={logo} alt="" />
          )}
          <strong>{name}</strong>
        </div>
        <div>
          <span className="preview-quiet">{t("payerPage.previewToPay")}</span>
          <span className="preview-sum">
            <span className="preview-currency">{currency}</span> {digits}
          </span>
        </div>
        <span className="preview-quiet">{t("payerPage.previewWaiting")}</span>
        <span className="preview-button" style={coloured}>
          {t("payerPage.previewButton")}
        </span>
        <ol className="preview-steps">
          {t("payerPage.previewSteps")
            .split("\n")
            .map((step) => (
              <li key={step}>{step}</li>
            ))}
        </ol>
        <svg className="preview-code" viewBox={`-2 -2 ${MODULES + 4} ${MODULES + 4}`} aria-hidden="true">
          <path d={CODE} />
        </svg>
        <span className="preview-quiet centered">{t("payerPage.previewScan")}</span>
        {contact !== "" && <span className="small">{t("payerPage.previewHelp", { contact })}</span>}
      </div>
    </figure>
  );
}
