import type { Curve } from "./result.ts";

/** A size of the picture, and the place that one panel has in it. Pixels. */
const WIDTH = 880;
const HEIGHT = 380;
const PANEL = { width: 330, height: 240, top: 60 };
const LEFTS = [70, 505];
/** Distinct for those who see no red or green, too. */
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
/** Beside the colour, so that a print in grey can be read. */
const DASHES = ["", "6 3", "2 3", "8 3 2 3", "1 3", "10 4"];

type Series = {
  readonly name: string;
  readonly colour: string;
  readonly dash: string;
  readonly points: readonly (readonly [x: number, y: number])[];
};
type Panel = {
  readonly title: string;
  readonly y: string;
  readonly series: readonly Series[];
  readonly fromZero: boolean;
};

/**
 * Throughput (left) and latency (right, p50 thick and p99 thin) against calls in flight, as an SVG. Calls in flight and
 * latency have logarithmic scales, since both go over decades; throughput begins at 0.
 */
export function plotCurves(title: string, curves: readonly Curve[]): string {
  const series = (pick: (point: Curve["points"][number]) => number, thin = false): Series[] =>
    curves.map(({ name, points }, i) => ({
      name,
      colour: COLOURS[i % COLOURS.length]!,
      dash: thin ? "2 2" : DASHES[i % DASHES.length]!,
      points: points.map((point) => [point.inFlight, pick(point)] as const),
    }));
  const panels: Panel[] = [
    { title: "throughput", y: "a second", series: series(({ rate }) => rate), fromZero: true },
    {
      title: "latency: p50, and p99 (thin, dotted)",
      y: "milliseconds (log)",
      series: [...series(({ p50 }) => p50), ...series(({ p99 }) => p99, true)],
      fromZero: false,
    },
  ];
  const legend = curves.map(({ name }, i) => {
    const [x, y] = [LEFTS[0]! + (i % 3) * 260, HEIGHT - 20 + Math.floor(i / 3) * 18];
    const { colour, dash } = { colour: COLOURS[i % COLOURS.length], dash: DASHES[i % DASHES.length] };
    return `<path d="M${x} ${y - 4}h26" stroke="${colour}" stroke-width="2.5" stroke-dasharray="${dash}"/><text x="${x + 32}" y="${y}">${escaped(name)}</text>`;
  });
  const height = HEIGHT + Math.max(0, Math.ceil(curves.length / 3) - 1) * 18;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12" fill="#222" role="img" aria-label="${escaped(title)}">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${WIDTH / 2}" y="24" text-anchor="middle" font-size="15" font-weight="bold">${escaped(title)}</text>
${panels.map((panel, i) => drawPanel(panel, LEFTS[i]!)).join("\n")}
<g>${legend.join("")}</g>
</svg>
`;
}

function drawPanel({ title, y: yTitle, series, fromZero }: Panel, left: number): string {
  const { width, height, top } = PANEL;
  const bottom = top + height;
  const xs = series.flatMap(({ points }) => points.map(([x]) => x));
  const ys = series.flatMap(({ points }) => points.map(([, y]) => y)).filter((y) => Number.isFinite(y) && y > 0);
  const [xMin, xMax] = [Math.min(...xs), Math.max(...xs)];
  const ticksX = [...new Set(xs)].sort((a, b) => a - b);
  const ticksY = fromZero ? linearTicks(Math.max(...ys)) : logTicks(Math.min(...ys), Math.max(...ys));
  const [yMin, yMax] = [ticksY[0]!, ticksY.at(-1)!];
  const atX = (x: number) => left + (xMax === xMin ? 0.5 : Math.log(x / xMin) / Math.log(xMax / xMin)) * width;
  const atY = (y: number) =>
    bottom - (fromZero ? y / yMax : Math.log(Math.max(y, yMin) / yMin) / Math.log(yMax / yMin)) * height;
  const number = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: 2 });
  const lines = series.map(({ colour, dash, points }) => {
    const drawn = points.filter(([, y]) => Number.isFinite(y) && y > 0);
    const path = drawn.map(([x, y], i) => `${i === 0 ? "M" : "L"}${atX(x).toFixed(1)} ${atY(y).toFixed(1)}`).join("");
    const thin = dash === "2 2";
    const dots = thin
      ? ""
      : drawn
          .map(([x, y]) => `<circle cx="${atX(x).toFixed(1)}" cy="${atY(y).toFixed(1)}" r="3" fill="${colour}"/>`)
          .join("");
    return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="${thin ? 1.3 : 2.5}" stroke-dasharray="${dash}"/>${dots}`;
  });
  return `<g>
<text x="${left + width / 2}" y="${top - 12}" text-anchor="middle">${escaped(title)}</text>
${ticksY.map((y) => `<path d="M${left} ${atY(y).toFixed(1)}h${width}" stroke="#ddd"/><text x="${left - 6}" y="${(atY(y) + 4).toFixed(1)}" text-anchor="end">${number(y)}</text>`).join("")}
${ticksX.map((x) => `<path d="M${atX(x).toFixed(1)} ${bottom}v5" stroke="#222"/><text x="${atX(x).toFixed(1)}" y="${bottom + 19}" text-anchor="middle">${number(x)}</text>`).join("")}
<path d="M${left} ${top}V${bottom}H${left + width}" fill="none" stroke="#222"/>
<text x="${left + width / 2}" y="${bottom + 37}" text-anchor="middle">calls in flight (log)</text>
<text transform="translate(${left - 52} ${top + height / 2}) rotate(-90)" text-anchor="middle">${escaped(yTitle)}</text>
${lines.join("\n")}
</g>`;
}

/** 0 and up to six round steps above the largest value. */
function linearTicks(most: number): number[] {
  const rough = most / 5;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * size).find((n) => n >= rough)!;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, i) => i * step);
}

/** 1, 2 and 5 of each decade, from below the smallest value to above the largest; only the decades where they are many. */
function logTicks(least: number, most: number): number[] {
  const steps: number[] = [];
  for (let decade = Math.floor(Math.log10(least)); decade <= Math.ceil(Math.log10(most)); decade += 1) {
    for (const n of [1, 2, 5]) steps.push(n * 10 ** decade);
  }
  const from = Math.max(
    0,
    steps.findLastIndex((step) => step <= least),
  );
  const found = steps.findIndex((step) => step >= most);
  const ticks = steps.slice(from, (found === -1 ? steps.length : found) + 1);
  if (ticks.length === 1) ticks.push(ticks[0]! * 2);
  if (ticks.length <= 8) return ticks;
  return ticks.filter(
    (tick, i) => i === 0 || i === ticks.length - 1 || Number.isInteger(Math.round(Math.log10(tick) * 1e6) / 1e6),
  );
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
