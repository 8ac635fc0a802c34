import type { merchant } from "@pixgate/sdk";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { sayComponents } from "../parts/amount.ts";
import { Read } from "../parts/feedback.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { Money } from "../parts/money.tsx";
import { shortId } from "../parts/short-id.ts";
import { Moment } from "../parts/time.tsx";
import { OtherWallet } from "../wallets/other-wallet.tsx";
import { useLinesOf } from "./booked.tsx";
import { Cause } from "./cause.tsx";
import { useKindText } from "./kind.ts";
import { isReceipt, type Movement, paymentOf } from "./movements.ts";
import "./movement.css";

type Line = merchant.StatementItem;

/** The merchant's own reference; of a transfer without one, what it was for. */
const aboutOf = ({ externalReference, transferId, description }: Line): string | null =>
  externalReference ?? ((transferId && description) || null);

/** Whose money it was, and what about. */
export const causeOf = (line: Line): string | null =>
  [line.counterpart, aboutOf(line)].filter((one) => one !== undefined && one !== null).join(" · ") || null;

/** Why money moved, and in which balance, unless it is the available one. */
export function KindText({ line: { kind, balance }, isGrouped }: { line: Line; isGrouped: boolean }) {
  const { t } = useTranslation();
  const say = useKindText();
  return (
    <>
      {say(kind, isGrouped ? balance : undefined)}
      {balance !== "available" && <span className="quiet"> · {t(`statement.in.${balance}`)}</span>}
    </>
  );
}

/** Whether a phone says first whose money it was. Single lines are told apart by their kinds. */
export const isNamed = ({ counterpart }: Line, isGrouped: boolean): boolean => isGrouped && counterpart !== undefined;

/** The second line of a movement on a phone: when it was, and what its first line does not say. */
export function SecondLine({ line, isGrouped }: { line: Line; isGrouped: boolean }) {
  const about = isNamed(line, isGrouped) ? aboutOf(line) : causeOf(line);
  return (
    <>
      <Moment at={line.bookedAt} />
      {isNamed(line, isGrouped) && (
        <>
          {" · "}
          <KindText line={line} isGrouped={isGrouped} />
        </>
      )}
      {about !== null && ` · ${about}`}
      <OtherWallet of={line} before=" · " />
    </>
  );
}

/** What moved and why. A movement of several lines can be opened, to show each; a payment leads to what followed it, and that to the payment. */
export function WhatMoved(props: { movement: Movement; followed: ReadonlyMap<string, number>; isGrouped: boolean }) {
  const { movement, followed, isGrouped } = props;
  const { t } = useTranslation();
  const { main, lines } = movement;
  const payment = paymentOf(movement);
  const cause = causeOf(main);
  const came = sayComponents(main.components, t);
  const later = payment !== undefined && isReceipt(movement) ? (followed.get(payment) ?? 0) : 0;
  const name = <KindText line={main} isGrouped={isGrouped} />;
  return (
    <>
      {lines.length > 1 ? (
        <Opened name={name}>
          <LinesOf lines={lines} />
        </Opened>
      ) : isSent(main) ? (
        <Opened name={name}>
          <PartsOf line={main} />
        </Opened>
      ) : (
        name
      )}
      <div className="movement-more">
        <div className="label cause">
          {payment !== undefined && !isReceipt(movement) && `${t("statement.ofPayment")} `}
          {cause === null && main.transferId ? (
            <OtherWallet of={main} otherwise={shortId(main.sourceId)} />
          ) : (
            <>
              <Cause line={main}>
                <FreeText>{cause ?? shortId(payment ?? main.sourceId)}</FreeText>
              </Cause>
              <OtherWallet of={main} before=" · " />
            </>
          )}
        </div>
        {later !== 0 && (
          <Link className="link label" href={`/statement?payment=${payment}`}>
            {t("statement.followed")} <Money brl={later} movement />
          </Link>
        )}
      </div>
      {came !== "" && <div className="label">{came}</div>}
    </>
  );
}

/** What moved, which opens to what it is made of. That is made when it is opened. */
function Opened({ name, children }: { name: ReactNode; children: ReactNode }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="movement" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {name} <span role="img" aria-label={t("statement.parts")} />
      </summary>
      {isOpen && children}
    </details>
  );
}

/** `isOfOne`: the lines are of one balance, which need not be named. */
export function LinesOf({ lines, isOfOne = false }: { lines: readonly Line[]; isOfOne?: boolean }) {
  const say = useKindText();
  return (
    <ul>
      {lines.map((line) => (
        <li key={`${line.balance} ${line.line}`} className="label">
          {isOfOne ? <span>{say(line.kind)}</span> : <KindText line={line} isGrouped={false} />}
          <Money brl={line.amount} movement />
        </li>
      ))}
    </ul>
  );
}

/** Whether a line sets aside what a withdrawal or a refund sends with its fee: both leave later, and from the held balance. */
export const isSent = ({ kind }: Line): boolean => kind === "withdrawal_held" || kind === "refund_held";

/** What was sent of the money that a line sets aside, and the fee; that it has not left, while it has not. */
export function PartsOf({ line }: { line: Line }) {
  const { t } = useTranslation();
  const { originalTransactionId, refundTransactionId, withdrawalId } = line;
  const query = useLinesOf({ id: withdrawalId ?? originalTransactionId ?? "", type: "withdrawal" });
  return (
    <Read query={query} lines={2}>
      {(lines) => {
        const left = lines.filter(
          (one) => one.balance === "held" && one.amount < 0 && one.refundTransactionId === refundTransactionId,
        );
        if (left.length === 0) return <p className="label">{t("statement.notLeft")}</p>;
        // What was given back is a movement of its own.
        return <LinesOf lines={left.filter(({ kind }) => !kind.endsWith("_released"))} isOfOne />;
      }}
    </Read>
  );
}
