import type { ReactNode } from "react";
import { FreeText } from "./free-text.tsx";
import { Money } from "./money.tsx";

/** Names and values. A value that is null or false does not apply, and is left out. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{typeof value === "string" ? <FreeText>{value}</FreeText> : value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Amounts one below the other; the last is their total. `signed`: what enters has its sign too. */
export function Sums({
  lines,
  total,
  signed = false,
}: {
  lines: readonly (readonly [ReactNode, number])[];
  total: readonly [string, number];
  signed?: boolean;
}) {
  return (
    <dl className="sums">
      {lines.map(([name, brl], i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines keep their order
        <div key={i}>
          <dt>{name}</dt>
          <dd>
            <Money brl={brl} movement={signed} />
          </dd>
        </div>
      ))}
      <div className="total">
        <dt>{total[0]}</dt>
        <dd>
          <Money brl={total[1]} />
        </dd>
      </div>
    </dl>
  );
}
