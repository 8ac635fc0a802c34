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

/** A small drawing of the page that a payer sees, on white: as their phone shows it by day. */
export function Preview(props: { name: string; color: string; logo: string | null; contact: string }) {
  const { t } = useTranslation();
  const { name, color, logo, contact } = props;
  return (
    <figure className="no-margin">
      <figcaption className="small second gap-below-small">{t("payerPage.preview")}</figcaption>
      <div className="preview-card">
        <div className="abreast-centered">
          {logo !== null && <img className="logo-picture" src={logo} alt="" />}
          <strong>{name}</strong>
        </div>
        <span className="preview-sum">{showBrl(EXAMPLE)}</span>
        <span className="preview-button" style={{ background: color, color: inkOn(color) }}>
          {t("payerPage.previewButton")}
        </span>
        {contact !== "" && <span className="small">{t("payerPage.previewHelp", { contact })}</span>}
      </div>
    </figure>
  );
}
