import type { Static } from "typebox";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { centavosOf, toBrl } from "../lib/money.ts";
import { makePdf } from "../lib/pdf/make-pdf.ts";
import { brlText, momentText, type PaperLanguage } from "../lib/pdf/words.ts";
import { WORDS } from "./closing-words.ts";
import type { StatementSummary } from "./summary.ts";

type Summary = Static<typeof StatementSummary>;
/** Types in the order of the paper: what came in, then what went out, then types that are not listed here. */
const ORDER = [
  "payment",
  "referral_commission",
  "refund",
  "chargeback",
  "withdrawal",
  "internal_transfer",
  "fee",
  "tax",
];
const place = (type: string) => (ORDER.indexOf(type) + ORDER.length + 1) % (ORDER.length + 1);
const sum = (amounts: readonly number[]): number => amounts.reduce((all, brl) => all + centavosOf(brl), 0);

/**
 * The close of a month as a document, from the sums of the ledger.
 *
 * @throws Error where the sums of the types do not lead from the opening to the closing balance.
 */
export async function closingPaper(
  queries: Queries,
  summary: Summary,
  {
    accountId,
    wallet,
    language,
    now,
  }: { accountId: string; wallet: string | null; language: PaperLanguage; now: Date },
): Promise<Buffer> {
  const came = sum(summary.items.map((item) => item.in));
  const went = sum(summary.items.map((item) => item.out));
  if (centavosOf(summary.openingBalance) + came - went !== centavosOf(summary.closingBalance))
    throw new Error(`the month ${summary.month} of a wallet of ${accountId} does not add up`);
  const { name, legal_name, document, environment } = await readOwner(queries, accountId);
  const words = WORDS[language];
  const title = words.title(summary.month);
  const under = [name, wallet ?? words.principal].join(" · ");
  return makePdf({ title, under, language, madeAt: now }, async (paper) => {
    await paper.facts([
      [words.account, name],
      [words.company, [legal_name, document].filter((part) => part !== null).join(" · ")],
      [words.accountId, accountId],
      [words.wallet, wallet ?? words.principal],
      [words.state, summary.closed ? words.over : words.partial],
      [words.money, environment === "sandbox" ? words.simulated : null],
    ]);
    paper.heading(words.balance);
    const amounts = [
      { title: "", share: 70 },
      { title: "BRL", share: 30, figures: true as const },
    ];
    await paper.table(
      amounts,
      [
        [words.opening, brlText(summary.openingBalance)],
        [words.in, brlText(toBrl(came))],
        [words.out, brlText(0 - toBrl(went))],
      ],
      [words.closing, brlText(summary.closingBalance)],
    );
    paper.heading(words.byType);
    const types = summary.items.toSorted((a, b) => place(a.type) - place(b.type));
    const some = (brl: number) => (brl === 0 ? "–" : brlText(brl));
    await paper.table(
      [
        { title: words.type, share: 40 },
        { title: words.count, share: 16, figures: true },
        { title: words.in, share: 22, figures: true },
        { title: words.out, share: 22, figures: true },
      ],
      types.map((item) => [words.types[item.type] ?? item.type, String(item.count), some(item.in), some(0 - item.out)]),
      [words.sum, "", brlText(toBrl(came)), brlText(0 - toBrl(went))],
    );
    if (summary.fees.length > 0) {
      paper.heading(words.fees);
      const total = toBrl(sum(summary.fees.map(({ amount }) => amount)));
      await paper.table(
        amounts,
        summary.fees.map(({ operation, count, amount }) => [words.fee(operation, count), brlText(amount)]),
        [words.feesTotal, brlText(total)],
      );
    }
    await paper.text(words.equal);
    await paper.text(words.madeAt(momentText(now, language)));
  });
}

type OwnerRow = { name: string; legal_name: string | null; document: string | null; environment: string };

async function readOwner(queries: Queries, accountId: string): Promise<OwnerRow> {
  const { rows } = await queries.query<OwnerRow>(sql`
    select name, legal_name, document, environment from accounts where account_id = ${accountId}`);
  return rows[0]!;
}
