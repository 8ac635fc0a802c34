import type { operator } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { Sums } from "../parts/facts.tsx";

type Kind = operator.TreasuryEntry["kind"];

/** What an entry does to the operator's own money: between institutions it stays what it is. */
export const SIGNS: Readonly<Record<Kind, 1 | -1 | 0>> = {
  top_up: 1,
  gain: 1,
  sweep: -1,
  tariff: -1,
  loss: -1,
  interbank: 0,
};

/** A kind of movement by its name in a case's evidence; null where this console does not know it. */
export const kindOf = (name: unknown): Kind | null =>
  (Object.keys(SIGNS) as Kind[]).find((one) => one === name) ?? null;

/** What a movement books: what enters or leaves which institution, and what becomes of the operator's own money by it. */
export function OwnMoney({ kind, brl, from, to }: { kind: Kind; brl: number; from: string; to: string }) {
  const { t } = useTranslation();
  const sign = SIGNS[kind];
  const line = (name: string, side: 1 | -1) =>
    [t(side > 0 ? "operator.ownMoney.enters" : "operator.ownMoney.leaves", { name }), side * brl] as const;
  return (
    <Sums
      signed
      lines={sign === 0 ? [line(from, -1), line(to, 1)] : [line(from, sign)]}
      total={[t(`operator.ownMoney.total.${kind}`), sign * brl]}
    />
  );
}
