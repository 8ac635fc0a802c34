import { addBrl, type merchant } from "@pixgate/sdk";

type Line = merchant.StatementItem;

/** What happened to a balance at once: the lines of one booking, such as a payment with its fee, tax and legs of a split. */
export type Movement = {
  /** Its newest line, which has the balance after the movement. */
  readonly newest: Line;
  /** The line with the largest amount: its kind names the movement. */
  readonly main: Line;
  /** In the order in which they were booked. */
  readonly lines: readonly Line[];
  /** Their sum, BRL. */
  readonly amount: number;
};

/** Most lines of one movement: a payment's legs are fewer. */
const MOST_LINES = 100;

/** Lines of one moment, about one payment, withdrawal or transfer, in one balance of one wallet. */
const bookingOf = ({ bookedAt, balance, subAccount, ...line }: Line): string =>
  [bookedAt, balance, subAccount, line.originalTransactionId ?? line.transactionId ?? line.sourceId].join(" ");

/**
 * Lines, the newest first, as movements. What came back of a payment later is a movement of its own, on its own day: so each
 * movement's amount is the difference between the balances before and after it.
 *
 * @param isWhole whether these are all lines. Otherwise the last movement may have more of them, and is left out until they are read.
 */
export function movementsOf(lines: readonly Line[], isWhole: boolean): readonly Movement[] {
  const bookings: Line[][] = [];
  for (const line of lines) {
    const last = bookings.at(-1);
    const goesOn = last !== undefined && last.length < MOST_LINES && bookingOf(last[0]!) === bookingOf(line);
    if (goesOn) last.push(line);
    else bookings.push([line]);
  }
  const known = isWhole || bookings.length === 1 ? bookings : bookings.slice(0, -1);
  return known.map((booked) => ({
    newest: booked[0]!,
    main: booked.reduce((most, line) => (Math.abs(line.amount) > Math.abs(most.amount) ? line : most)),
    lines: booked.toReversed(),
    amount: addBrl(...booked.map(({ amount }) => amount)),
  }));
}

/**
 * What followed payments later, BRL, by the payment: what came back of it, what is held of it, what of that was released. Only of the
 * listed movements.
 */
export function followedOf(movements: readonly Movement[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const movement of movements) {
    const payment = paymentOf(movement);
    if (payment !== undefined && !isReceipt(movement))
      sums.set(payment, addBrl(sums.get(payment) ?? 0, movement.amount));
  }
  return sums;
}

/** The payment that a movement is about; left out: it is about none. */
export const paymentOf = ({ main }: Movement): string | undefined =>
  main.withdrawalId === undefined ? main.originalTransactionId : undefined;

/** Whether a movement is the payment itself, as it came in. */
export const isReceipt = ({ lines }: Movement): boolean => lines.some(({ kind }) => kind === "charge_paid");

/** Each line as a movement of its own. */
export const eachLine = (lines: readonly Line[]): readonly Movement[] =>
  lines.map((line) => ({ newest: line, main: line, lines: [line], amount: line.amount }));
