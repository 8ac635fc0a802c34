import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl } from "../parts/amount.ts";
import "./hours.css";

const WIDTH = 700;
const HEIGHT = 148;
const HOURS = Array.from({ length: 24 }, (_, at) => at);
const STEP = WIDTH / 24;

/** `2,4 mil`, or `2,4K`: with the comma that amounts have in both languages. */
const showShort = (brl: number, language: string): string =>
  brl.toLocaleString(language, { notation: "compact", maximumFractionDigits: 1 }).replace(".", ",");

/**
 * Bars of today's hours, last week's as ticks; the hour in progress is lighter. Its text says the same in words. A bar opens
 * the charges that were paid in its hour; `day` is today, as `2026-11-23`.
 */
export function Hours(props: {
  day: string;
  today: readonly number[];
  before: readonly number[] | null;
  hour: number;
}) {
  const { t, i18n } = useTranslation();
  const { day, today, before, hour } = props;
  const most = Math.max(1, ...today, ...(before ?? []));
  const heightOf = (brl: number) => (brl / most) * HEIGHT;
  const best = today.indexOf(Math.max(...today));
  return (
    <figure className="hours" aria-label={t("home.hoursText", { hour: best, amount: showBrl(today[best] ?? 0) })}>
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: the figure has the name, each bar its own */}
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + 18}`}>
        {[0, 1, 2].map((line) => (
          <line
            key={line}
            x1={0}
            x2={WIDTH}
            y1={(line * HEIGHT) / 2 || 0.5}
            y2={(line * HEIGHT) / 2 || 0.5}
            className="hours-line"
          />
        ))}
        {HOURS.map((at) => (
          <Bar key={at} day={day} at={at} brl={today[at] ?? 0} height={heightOf(today[at] ?? 0)} isNow={at === hour} />
        ))}
        {HOURS.map((at) => [at, before?.[at] ?? 0] as const).map(([at, brl]) =>
          brl === 0 ? null : (
            <rect
              key={at}
              x={at * STEP + 3}
              y={HEIGHT - heightOf(brl)}
              width={STEP - 6}
              height={1.5}
              className="hours-tick"
            />
          ),
        )}
        {/* What the highest bar, and half of it, comes to: on the side of the hours to come, or else of the night. */}
        {[1, 2].map((part) => (
          <text
            key={part}
            x={hour < 12 ? WIDTH : 0}
            y={((part - 1) * HEIGHT) / 2 + 14}
            textAnchor={hour < 12 ? "end" : "start"}
            className="hours-text hours-scale"
          >
            {most > 1 && showShort(most / part, i18n.language)}
          </text>
        ))}
        {[0, 4, 8, 12, 16, 20].map((at) => (
          <text key={at} x={at * STEP + 3} y={HEIGHT + 14} className="hours-text">
            {at} h
          </text>
        ))}
      </svg>
    </figure>
  );
}

/** An hour's bar, whose whole column opens the charges paid in it; nothing where nothing was paid. */
function Bar({
  day,
  at,
  brl,
  height,
  isNow,
}: {
  day: string;
  at: number;
  brl: number;
  height: number;
  isNow: boolean;
}) {
  const { t } = useTranslation();
  if (brl === 0) return null;
  return (
    <Link
      href={`/charges?paid=${day}T${String(at).padStart(2, "0")}`}
      className="hours-link"
      aria-label={t("home.openHour", { hour: at, amount: showBrl(brl) })}
    >
      <rect x={at * STEP} y={0} width={STEP} height={HEIGHT} className="hours-target">
        <title>{`${at} h · ${showBrl(brl)}`}</title>
      </rect>
      <rect
        x={at * STEP + 3}
        y={HEIGHT - height}
        width={STEP - 6}
        height={height}
        rx={2}
        className={isNow ? "hours-now" : "hours-bar"}
      />
    </Link>
  );
}
