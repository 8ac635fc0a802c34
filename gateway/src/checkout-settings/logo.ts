import { decodePng, encodePng, shrunk } from "../lib/png.ts";

/** Largest upload, bytes, and pixels a side. */
const MOST_BYTES = 64 * 1024;
const MOST_PIXELS = 512;
/** Pixels a side of the logo as it is stored, tried in this order: the page shows it 36 CSS pixels high. */
const SIDES = [96, 72, 48];
/** Largest logo as it is stored, bytes: with it a page has less than 40 kB. The smallest side always has fewer. */
const STORED_BYTES = 12 * 1024;
const PREFIX = "data:image/png;base64,";

/**
 * A logo that is safe to show: decoded to pixels, made small and written anew, so that no text, profile, script or trailing
 * byte of the upload is left. SVG is not accepted: to make
 * one safe takes a parser of XML and a list of what may stay, for the same 36 pixels.
 */
export function safeLogo(uri: string): { readonly uri: string } | { readonly problem: string } {
  const bytes = Buffer.from(uri.slice(PREFIX.length), "base64");
  if (bytes.length > MOST_BYTES) return { problem: `must be at most ${MOST_BYTES / 1024} KiB` };
  const picture = decodePng(bytes, MOST_PIXELS);
  if ("problem" in picture) return picture;
  const small = SIDES.map((side) => encodePng(shrunk(picture, side)));
  const fits = small.find((png) => png.length <= STORED_BYTES)!;
  return { uri: PREFIX + fits.toString("base64") };
}
