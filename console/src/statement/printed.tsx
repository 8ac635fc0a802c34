import type { merchant } from "@pixgate/sdk";
import { memo, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { sayComponents, showBrl, showMovement } from "../parts/amount.ts";
import { showStamp } from "../parts/instant.ts";
import { useSession } from "../session/session.tsx";
import { useKindText } from "./kind.ts";
import { MadeAt, Paper, PaperHead } from "./paper.tsx";
import type { WholeStatement } from "./read-whole.ts";
import { useWhose } from "./whose.ts";

/** What a document is of: all movements of a period, or those of one payment. Its heading, the filter's name, and the filter in words. */
export type Extent = { readonly heading: string; readonly name: string; readonly text: string };
type Shown = { readonly statement: WholeStatement; readonly extent: Extent };

/** A statement for paper, which asks to be printed. */
export const Printed = memo(function Printed({ statement, extent }: Shown) {
  const { t } = useTranslation();
  const { account } = useSession();
  const { balances, movements, came, went, readAt } = statement;
  useEffect(() => window.print(), []);
  return (
    <Paper name={`${extent.heading} ${account.name} ${extent.text}`} heading={extent.heading}>
      <Head statement={statement} extent={extent} />
      {partsOf(movements).map((part, i, all) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of one statement, which does not change
        <table key={i}>
          <Titles extent={extent} withTotals={balances !== null} />
          <tbody>
            {balances && i === 0 && <Total text={t("print.opening")} brl={balances.opening} />}
            {part.map(({ line, total }) => (
              <Row key={`${line.balance} ${line.line}`} line={line} total={total} />
            ))}
            {balances && i === all.length - 1 && <Total text={t("print.closing")} brl={balances.closing} />}
          </tbody>
        </table>
      ))}
      <p className="foot">
        {t("print.sums", { count: movements.length, came: showMovement(came), went: showBrl(went) })}{" "}
        {balances && t("print.equal")}
      </p>
      <MadeAt at={readAt} />
    </Paper>
  );
});

/**
 * Rows of one table. For each page that it fills a browser lays the whole table out: 8,000 rows in one took 30 s where tables of 200
 * took 10.
 */
const ROWS = 500;

function partsOf<T>(rows: readonly T[]): T[][] {
  return Array.from({ length: Math.max(1, Math.ceil(rows.length / ROWS)) }, (_, i) =>
    rows.slice(i * ROWS, (i + 1) * ROWS),
  );
}

/** Repeated on every page: whose statement it is, and the columns. */
function Titles({ extent, withTotals }: { extent: Extent; withTotals: boolean }) {
  const { t } = useTranslation();
  const { account, wallet } = useSession();
  return (
    <thead>
      <tr className="whose">
        <td colSpan={withTotals ? 4 : 3}>
          <bdi>{account.name}</bdi> · <bdi>{wallet ?? t("shell.mainWallet")}</bdi> · {extent.text}
        </td>
      </tr>
      <tr>
        <th scope="col">{t("print.date")}</th>
        <th scope="col">{t("statement.movement")}</th>
        <th scope="col" className="end">
          {t("charges.column.amount")}
        </th>
        {withTotals && (
          <th scope="col" className="end">
            {t("statement.balance")}
          </th>
        )}
      </tr>
    </thead>
  );
}

function Head({ statement: { account, balances }, extent }: Shown) {
  const { t } = useTranslation();
  const { whose, money } = useWhose()(account);
  const totals = [
    [t("print.opening"), balances ? showBrl(balances.opening) : undefined],
    [t("print.closing"), balances ? showBrl(balances.closing) : undefined],
  ] as const;
  return <PaperHead facts={[...whose, [extent.name, extent.text], ...totals, money]} />;
}

function Row({ line, total }: { line: merchant.StatementItem; total: number | null }) {
  const { t, i18n } = useTranslation();
  const say = useKindText();
  const { counterpart, externalReference, description, e2eId, components } = line;
  const details = [counterpart, externalReference, description, sayComponents(components, t), e2eId].filter(Boolean);
  return (
    <tr>
      <td>{showStamp(new Date(line.bookedAt), i18n.language)}</td>
      <td>
        {say(line.kind)}
        {details.length > 0 && (
          <div className="detail">
            {details.map((detail, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two may be the same text
              <span key={i}>
                {i > 0 && " · "}
                <bdi>{detail}</bdi>
              </span>
            ))}
          </div>
        )}
      </td>
      <td className="end">{showMovement(line.amount)}</td>
      {total !== null && <td className="end">{showBrl(total)}</td>}
    </tr>
  );
}

function Total({ text, brl }: { text: string; brl: number }) {
  return (
    <tr className="total">
      <td />
      <th scope="row">{text}</th>
      <td />
      <td className="end">{showBrl(brl)}</td>
    </tr>
  );
}
