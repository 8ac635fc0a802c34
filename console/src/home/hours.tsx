import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import "./hours.css";

const WIDTH = 700;
const HEIGHT = 148;
const HOURS = Array.from({ length: 24 }, (_, at) => at);
const STEP = WIDTH / 24;

/** Bars of today's hours, last week's as ticks; the hour in progress is lighter. Its text says the same in words. */
export function Hours(props: { today: readonly number[]; before: readonly number[] | null; hour: number }) {
  const { t } = useTranslation();
  const { today, before, hour } = props;
  const most = Math.max(1, ...today, ...(before ?? []));
  const heightOf = (brl: number) => (brl / most) * (HEIGHT - 8);
  const best = today.indexOf(Math.max(...today));
  return (
    <figure className="hours">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT + 18}`}
        role="img"
        aria-label={t("home.hoursText", { hour: best, amount: showBrl(today[best] ?? 0) })}
      >
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
        {HOURS.map((at) => [at, today[at] ?? 0] as const).map(([at, brl]) => (
          <rect
            key={at}
            x={at * STEP + 3}
            y={HEIGHT - heightOf(brl)}
            width={STEP - 6}
            height={heightOf(brl)}
            rx={2}
            className={at === hour ? "hours-now" : "hours-bar"}
          >
            <title>{`${at} h · ${showBrl(brl)}`}</title>
          </rect>
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
        {[0, 4, 8, 12, 16, 20].map((at) => (
          <text key={at} x={at * STEP + 3} y={HEIGHT + 14} className="hours-text">
            {at} h
          </text>
        ))}
      </svg>
    </figure>
  );
}
