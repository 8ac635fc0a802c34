import { decodePng, encodePng, shrunk } from "./png.ts";
import { safeSvg } from "./svg.ts";

/** Largest upload, bytes, and pixels a side. */
const MOST_BYTES = 64 * 1024;
const MOST_PIXELS = 512;
/** Pixels a side of the logo as it is stored, tried in this order: the page shows it 36 CSS pixels high. */
const SIDES = [96, 72, 48];
/** Largest logo as it is stored, bytes: with it a page has less than 40 kB. A PNG of the smallest side always fits. */
const STORED_BYTES = 12 * 1024;
const PNG = "data:image/png;base64,";
const SVG = "data:image/svg+xml;base64,";

type Safe = { readonly uri: string } | { readonly problem: string };

/**
 * A logo that is safe to show: understood and written anew, so that no text, profile, script or trailing byte of the upload is
 * left. Pages show it by `img`, where browsers run no script and load nothing, whatever is in a picture.
 */
export function safeLogo(uri: string): Safe {
  const bytes = Buffer.from(uri.slice(uri.indexOf(",") + 1), "base64");
  if (bytes.length > MOST_BYTES) return { problem: `must be at most ${MOST_BYTES / 1024} KiB` };
  return uri.startsWith(PNG) ? safePng(bytes) : safeDrawing(bytes);
}

/** Decoded to pixels, and made small. */
function safePng(bytes: Buffer): Safe {
  const picture = decodePng(bytes, MOST_PIXELS);
  if ("problem" in picture) return picture;
  const small = SIDES.map((side) => encodePng(shrunk(picture, side)));
  const fits = small.find((png) => png.length <= STORED_BYTES)!;
  return { uri: PNG + fits.toString("base64") };
}

function safeDrawing(bytes: Buffer): Safe {
  const drawing = safeSvg(bytes);
  if ("problem" in drawing) return drawing;
  // ASCII: each character is a byte.
  if (drawing.text.length > STORED_BYTES)
    return { problem: `is too detailed: written anew, it has more than ${STORED_BYTES / 1024} KiB` };
  return { uri: SVG + Buffer.from(drawing.text).toString("base64") };
}
