import type { Sample, Soaked } from "./soak.ts";

const COLOURS = ["#1b6ca8", "#c1440e", "#2e7d32", "#8e44ad", "#b8860b", "#444444"];
const PANEL = { width: 400, height: 210 };
const LEFT = 70;
const TOP = 60;

type Series = { readonly name: string; readonly values: readonly number[] };

/** Four panels over time: memory, p99 of each kind, dead rows of the tables with most, and the largest tables beside the log. */
export function plotSoak({ samples, rate }: Soaked): string {
  const minutes = samples.map(({ at }) => at / 60);
  const names = (of: (sample: Sample) => Readonly<Record<string, unknown>>) => Object.keys(of(samples.at(-1)!));
  const tables = (by: "dead" | "bytes") =>
    names(({ tables }) => tables)
      .sort((a, b) => samples.at(-1)!.tables[b]![by] - samples.at(-1)!.tables[a]![by])
      .slice(0, by === "dead" ? 5 : 4);
  const table = (name: string, by: "dead" | "bytes", scale: number): Series => ({
    name,
    values: samples.map((sample) => (sample.tables[name]?.[by] ?? 0) / scale),
  });
  let log = 0;
  const panels: (readonly [string, readonly Series[]])[] = [
    [
      "memory, MB",
      names(({ memory }) => memory).map((name) => ({ name, values: samples.map(({ memory }) => memory[name] ?? 0) })),
    ],
    [
      "p99, milliseconds",
      names(({ kinds }) => kinds).map((name) => ({ name, values: samples.map(({ kinds }) => kinds[name]!.p99 || 0) })),
    ],
    ["dead rows", tables("dead").map((name) => table(name, "dead", 1))],
    [
      "size, MB",
      [
        ...tables("bytes").map((name) => table(name, "bytes", 1e6)),
        {
          name: "log so far",
          values: samples.map(({ wal }) => {
            log += wal / 1e6;
            return log;
          }),
        },
      ],
    ],
  ];
  const width = 2 * (LEFT + PANEL.width) + 30;
  const height = 2 * (TOP + PANEL.height) + 70;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11" fill="#222" role="img" aria-label="Soak">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${width / 2}" y="20" text-anchor="middle" font-size="14" font-weight="bold">${Math.round(minutes.at(-1)!)} minutes at ${Math.round(rate)} calls a second</text>
${panels.map(([title, series], i) => draw(title, series, minutes, LEFT + (i % 2) * (LEFT + PANEL.width), TOP + Math.floor(i / 2) * (TOP + PANEL.height + 10))).join("\n")}
</svg>
`;
}

function draw(title: string, series: readonly Series[], minutes: readonly number[], left: number, top: number): string {
  const most = Math.max(1e-9, ...series.flatMap(({ values }) => values));
  const step = [1, 2, 5, 10].map((n) => n * 10 ** Math.floor(Math.log10(most / 4))).find((n) => n >= most / 4)!;
  const ticks = Array.from({ length: Math.ceil(most / step) + 1 }, (_, i) => i * step);
  const highest = ticks.at(-1)!;
  const last = minutes.at(-1)!;
  const atX = (minute: number) => left + (minute / last) * PANEL.width;
  const atY = (value: number) => top + PANEL.height - (value / highest) * PANEL.height;
  const lines = series.map(({ name, values }, i) => {
    const path = values.map(
      (value, n) => `${n === 0 ? "M" : "L"}${atX(minutes[n]!).toFixed(1)} ${atY(value).toFixed(1)}`,
    );
    const colour = COLOURS[i % COLOURS.length];
    return `<path d="${path.join("")}" fill="none" stroke="${colour}" stroke-width="2"/><text x="${left + 6 + (i % 3) * 130}" y="${top + 12 + Math.floor(i / 3) * 14}" fill="${colour}">${name}</text>`;
  });
  const number = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: 3 });
  return `<g>
<text x="${left + PANEL.width / 2}" y="${top - 8}" text-anchor="middle">${title}</text>
${ticks.map((tick) => `<path d="M${left} ${atY(tick).toFixed(1)}h${PANEL.width}" stroke="#ddd"/><text x="${left - 5}" y="${(atY(tick) + 4).toFixed(1)}" text-anchor="end">${number(tick)}</text>`).join("")}
<text x="${left}" y="${top + PANEL.height + 16}">0</text><text x="${left + PANEL.width}" y="${top + PANEL.height + 16}" text-anchor="end">${number(last)} min</text>
${lines.join("\n")}
</g>`;
}
