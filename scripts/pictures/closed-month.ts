/** A sandbox whose month has just ended, and is closed. */
import { callApi } from "../../console/test/call-api.ts";
import { eventually } from "../../console/test/eventually.ts";
import { fillAccount } from "../../console/test/fill.ts";
import { freePort } from "../../console/test/free-port.ts";
import { type OpenConsole, openConsole } from "../../console/test/open-console.ts";

const HOUR_MS = 3_600_000;
/** In which a balance is read and, a minute later, compared. */
const COMPARED_WITHIN_MS = 300_000;

const nowInBrazil = () => new Date(Date.now() - 3 * HOUR_MS).toISOString();
/** São Paulo's first moment of this month. */
const begins = () => Date.parse(`${nowInBrazil().slice(0, 7)}-01T03:00:00Z`);
/** Seconds from now until so many hours after the month began. */
const until = (hours: number): number => Math.round((begins() + hours * HOUR_MS - Date.now()) / 1_000);

/**
 * Opens it as it was five hours after the end of its last month, with charges, refunds and withdrawals of that month's last evening.
 *
 * @returns the console, how many seconds ahead its clock is, and the day.
 */
export async function openClosedMonth(
  dataDir: string,
): Promise<{ readonly opened: OpenConsole; readonly ahead: number; readonly day: string }> {
  const opened = await openConsole({
    ...{ PIXGATE_DATA_DIR: dataDir, PIXGATE_SIMULATOR_PORT: String(await freePort()) },
    ...{ PIXGATE_CLOCK_OFFSET: String(until(-1)), PIXGATE_CLOCK_CHECK: "off" },
  });
  try {
    const { page } = opened;
    await fillAccount(page);
    const isPaid = async (): Promise<boolean> => {
      type Withdrawals = { items: { status: string }[] };
      const { items } = await callApi<Withdrawals>(page, "GET", "/operator/v1/withdrawals");
      return items.every(({ status }) => status === "completed");
    };
    await eventually("the withdrawals to be paid", isPaid);
    await compareBalance(opened);
    const ahead = until(5);
    await opened.restartAhead(ahead);
    const day = new Date(begins() - 4 * HOUR_MS).toISOString().slice(0, 10);
    const isClosed = async () => (await callApi<{ closed: boolean }>(page, "GET", `/operator/v1/close/${day}`)).closed;
    await eventually("the day to be closed", isClosed);
    const isAgreed = async () => {
      const month = `/operator/v1/reconciliation/month/${day.slice(0, 7)}`;
      const { days } = await callApi<{ days: { date: string }[] }>(page, "GET", month);
      return days.some(({ date }) => date === day);
    };
    await eventually("the day to be compared", isAgreed, COMPARED_WITHIN_MS);
    return { opened, ahead, day };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/**
 * Has the bank's balance read after midnight, and compared a minute later, before the day is closed. One that was read before the
 * restart is compared first, and the next is read ten minutes after that: the clock goes there.
 */
async function compareBalance({ page, restartAhead }: OpenConsole): Promise<void> {
  const isCompared = async (): Promise<boolean> => {
    const metrics = await page.evaluate<string>(`fetch("/metrics").then((answer) => answer.text())`);
    const age = /^pixgate_balance_age_seconds\{.*\} (.+)$/m.exec(metrics)?.[1];
    return age !== undefined && Number(age) < 2 * 3_600;
  };
  for (const hours of [2, 2.5, 3]) {
    await restartAhead(until(hours));
    const compared = eventually("the balance after midnight to be compared", isCompared, COMPARED_WITHIN_MS / 2);
    const failed = await compared.then(() => null).catch((error: unknown) => error);
    if (failed === null) return;
    if (hours === 3) throw failed;
  }
}
