/** Charges with a due date (`cobv` of API Pix): an extension; the checks are skipped where there is none. */
import {
  type Check,
  check,
  isOneOf,
  isTime,
  must,
  mustAnswer,
  mustHave,
  mustRefuse,
  Skip,
  type Target,
} from "../check.ts";
import { ask, type Fields, pay } from "../sandbox.ts";

const customer = { name: "Maria", document: "52998224725" };
const DAY_MS = 86_400_000;
/** The date in São Paulo (three hours behind UTC) that is this many days ahead. */
const dayIn = (days: number): string => new Date(Date.now() - 3 * 3_600_000 + days * DAY_MS).toISOString().slice(0, 10);
const due = () => ({ date: dayIn(10), daysAfter: 5, fine: { percent: 2 }, abatement: { fixed: 1.5 } });

/** Creates a charge of 10.50 with a due date and an abatement of 1.50. */
async function dueCharge(target: Target, asked = due()): Promise<Fields> {
  const reply = await ask(target, { customer, due: asked });
  if (reply.status === 400) throw new Skip("no charges with a due date are issued here");
  mustAnswer(reply, 201);
  return reply.body;
}
const read = async ({ client }: Target, id: unknown): Promise<Fields> => {
  const reply = await client.call("GET", `/transactions/${String(id)}`);
  mustAnswer(reply, 200);
  return reply.body;
};

export const DUE: readonly Check[] = [
  check("due.terms", "Answers echo `due`; `expiresAt` is the end of the last day.", async (target) => {
    const asked = due();
    const { due: shown, ...charge } = await dueCharge(target, asked);
    const { date, daysAfter, fine, abatement } = (shown ?? {}) as ReturnType<typeof due>;
    must(date === asked.date && daysAfter === 5, "due does not have the date and the days after it of the request");
    must(fine?.percent === 2 && abatement?.fixed === 1.5, "due does not have the fine and abatement of the request");
    mustHave(charge, "expiresAt", "a date-time", isTime);
    const end = Date.parse(`${asked.date}T03:00:00Z`) + 6 * DAY_MS;
    must(Date.parse(String(charge.expiresAt)) >= end, "it ends before its last day");
    mustHave(await read(target, charge.id), "amountDue", "9, the amount less its abatement", isOneOf(9));
  }),
  check(
    "due.customer",
    "With `due`: `customer.name` and `customer.document` are required, `expiresIn` is refused.",
    async (target) => {
      await dueCharge(target);
      mustRefuse(await ask(target, { due: due() }), 400);
      mustRefuse(await ask(target, { due: due(), customer, expiresIn: 600 }), 400);
    },
  ),
  check("due.edited", "`PATCH /pix/{id}` `{ due }`: the whole new `due` stands for the old one.", async (target) => {
    const { id } = await dueCharge(target);
    const later = dayIn(20);
    const reply = await target.client.call("PATCH", `/pix/${String(id)}`, { due: { date: later, daysAfter: 0 } });
    if (reply.status === 404 || reply.status === 405) throw new Skip("no call changes a due date here");
    mustAnswer(reply, 200);
    const { due: shown, amountDue } = await read(target, id);
    const { date, fine, abatement } = (shown ?? {}) as Partial<ReturnType<typeof due>>;
    must(date === later && fine === undefined && abatement === undefined, "due has parts of the old one");
    must(amountDue === 10.5, `amountDue is ${JSON.stringify(amountDue)}, not 10.5`);
  }),
  check(
    "due.paid",
    "`amount` of the transaction is what was paid; `chargedAmount` is what was asked for.",
    async (target) => {
      const { id } = await dueCharge(target);
      await pay(target, id);
      const paid = await read(target, id);
      mustHave(paid, "amount", "9, what was paid", isOneOf(9));
      mustHave(paid, "chargedAmount", "10.5, what was asked for", isOneOf(10.5));
    },
  ),
];
