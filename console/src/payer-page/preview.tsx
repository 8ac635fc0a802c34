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
    <figure style={{ margin: 0 }}>
      <figcaption className="small second" style={{ marginBottom: 8 }}>
        {t("payerPage.preview")}
      </figcaption>
      <div
        style={{
          ...{ maxWidth: 320, border: "1px solid var(--border)", borderRadius: 12, padding: 20, background: "#ffffff" },
          ...{ color: "#15191a", display: "grid", gap: 14, overflowWrap: "anywhere" },
        }}
      >
        <div style={{ display: "flex", gap: 10, alignItems: "center" }}>
          {logo !== null && <img src={logo} alt="" style={{ height: 36, maxWidth: 120, objectFit: "contain" }} />}
          <strong>{name}</strong>
        </div>
        <span style={{ fontSize: 28, fontWeight: 600 }}>{showBrl(EXAMPLE)}</span>
        <span
          style={{ background: color, color: inkOn(color), borderRadius: 8, padding: "10px 16px", textAlign: "center" }}
        >
          {t("payerPage.previewButton")}
        </span>
        {contact !== "" && <span className="small">{t("payerPage.previewHelp", { contact })}</span>}
      </div>
    </figure>
  );
}
