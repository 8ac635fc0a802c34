/** The colour of an account's pages: whether it can be seen, and its shades for both themes. Contrast as WCAG 2.2 defines it. */

type Rgb = readonly [number, number, number];
const WHITE: Rgb = [255, 255, 255];
/** The page in a dark theme (checkout/style.css). */
const DARK: Rgb = [17, 21, 22];
/** Least contrast between a button and its page (WCAG 2.2, 1.4.11). */
const LEAST = 3;

const parse = (hex: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb;
const write = (rgb: Rgb): string => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;

function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: Rgb, b: Rgb): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** Whether a button of the colour stands out from a white page. */
export const isReadable = (hex: string): boolean => contrast(parse(hex), WHITE) >= LEAST;

/** Black or white, whichever is read better on the colour: at least 4.5:1 on any (the two multiply to 21:1). */
const inkOn = (rgb: Rgb): string => (contrast(rgb, WHITE) >= contrast(rgb, [0, 0, 0]) ? "#ffffff" : "#000000");

/** The colour, mixed with white until it stands out from a dark page. */
function lightened(rgb: Rgb): Rgb {
  let shade = rgb;
  for (let white = 0; contrast(shade, DARK) < LEAST; white += 0.05)
    shade = rgb.map((part) => part + (255 - part) * white) as unknown as Rgb;
  return shade;
}

/** The page's variables for a colour, as a style of its own. */
export function accentStyle(hex: string): string {
  const [light, dark] = [parse(hex), lightened(parse(hex))];
  const rule = (rgb: Rgb) => `:root{--accent:${write(rgb)};--on-accent:${inkOn(rgb)}}`;
  return `${rule(light)}@media (prefers-color-scheme: dark){${rule(dark)}}`;
}
