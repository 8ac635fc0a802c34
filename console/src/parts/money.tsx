import { showBrl, showMovement } from "./amount.ts";

/** An amount in BRL; a dash where there is none. */
export function Money({ brl, movement = false }: { brl: number | null | undefined; movement?: boolean }) {
  if (brl === null || brl === undefined) return <span className="quiet">–</span>;
  const text = movement ? showMovement(brl) : showBrl(brl);
  return <span className={movement && brl > 0 ? "num heavy" : "num"}>{text}</span>;
}

/** The number that a screen is about. */
export function BigMoney({ brl }: { brl: number }) {
  const [currency = "", digits] = showBrl(brl).split("\u00a0");
  return (
    <span className="big num">
      <span className="currency">{currency}</span>
      {digits}
    </span>
  );
}
