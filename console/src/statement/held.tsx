import { addBrl, type merchant, type Pixgate } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { BlockType } from "../blocks/blocks.tsx";
import { TimeLeft } from "../blocks/countdown.tsx";
import { BlockState } from "../blocks/state.tsx";
import { Read } from "../parts/feedback.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { Money } from "../parts/money.tsx";
import { State } from "../parts/state.tsx";
import { unlessForbidden } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";
import { useWithdrawalWords } from "../withdrawals/words.ts";

/** Most rows of each kind, the newest; one row sums up the older ones. */
const SHOWN = 20;

type Refund = { readonly refund: merchant.Transaction; readonly held: number };
type Holding = {
  readonly withdrawals: readonly merchant.Withdrawal[];
  readonly refunds: readonly Refund[];
  readonly blocks: readonly merchant.BalanceBlock[];
};

async function readHolding(pixgate: Pixgate): Promise<Holding> {
  const withdrawals = (status: "pending" | "processing") => pixgate.withdrawals.list({ status, limit: SHOWN }).page();
  const blocks = (status: "awaiting_response" | "defended") =>
    pixgate.balanceBlocks.list({ status, limit: SHOWN }).page();
  const refunds = async () => {
    const { items } = await pixgate.transactions.list({ type: "refund", status: "pending", limit: SHOWN }).page();
    return Promise.all(items.map(async (refund) => ({ refund, held: await heldFor(pixgate, refund.id) })));
  };
  // What this person may not read counts as part of the rest.
  const [pending, processing, back, waiting, defended] = await Promise.all([
    unlessForbidden(withdrawals("pending")),
    unlessForbidden(withdrawals("processing")),
    unlessForbidden(refunds()),
    unlessForbidden(blocks("awaiting_response")),
    unlessForbidden(blocks("defended")),
  ]);
  return {
    withdrawals: [...(pending?.items ?? []), ...(processing?.items ?? [])],
    refunds: back ?? [],
    blocks: [...(waiting?.items ?? []), ...(defended?.items ?? [])],
  };
}

/** What a refund holds, from the ledger: its amount and the fee that it will cost. */
async function heldFor(pixgate: Pixgate, transactionId: string): Promise<number> {
  const { items } = await pixgate.statement.list({ transactionId }).page();
  return addBrl(...items.filter(({ balance }) => balance === "held").map(({ amount }) => amount));
}

/** What a block still holds: of a contested Pix a part may have gone back already. */
const leftOf = ({ amount, takenAmount = 0 }: merchant.BalanceBlock): number => addBrl(amount, -takenAmount);

/** What holds the money, of `held` BRL in the ledger: for whom, why and until when. Its rows add up to the balance. */
export function WhatIsHeld({ held }: { held: number }) {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const query = useQuery({ queryKey: [...scope, "held"], queryFn: () => readHolding(pixgate), enabled: held !== 0 });
  if (held === 0) return null;
  return (
    <section aria-labelledby="held-now">
      <h3 id="held-now" className="label">
        {t("held.title")}
      </h3>
      <Read query={query} lines={3}>
        {(holding) => <Rows holding={holding} held={held} />}
      </Read>
    </section>
  );
}

function Rows({ holding: { withdrawals, refunds, blocks }, held }: { holding: Holding; held: number }) {
  const { t } = useTranslation();
  const listed = [...withdrawals.map(({ amount }) => amount), ...blocks.map(leftOf), ...refunds.map((one) => one.held)];
  const rest = addBrl(held, ...listed.map((amount) => -amount));
  return (
    <ul className="held-rows">
      {blocks.map((block) => (
        <Row
          key={block.id}
          href={`/blocks/${block.id}`}
          amount={leftOf(block)}
          who={<BlockType type={block.blockType} />}
        >
          <BlockState block={block} />
          {block.status === "awaiting_response" && (block.respondBy ?? block.heldUntil) !== undefined && (
            <>
              {" · "}
              {t("held.left")} <TimeLeft until={block.respondBy ?? block.heldUntil} />
            </>
          )}
        </Row>
      ))}
      {withdrawals.map((one) => (
        <HeldWithdrawal key={one.id} withdrawal={one} />
      ))}
      {refunds.map(({ refund, held: amount }) => (
        <Row
          key={refund.id}
          href={`/refunds?open=${refund.id}`}
          amount={amount}
          who={
            <>
              {t("held.refund")} <FreeText>{refund.counterpartName ?? refund.externalReference ?? ""}</FreeText>
            </>
          }
        >
          <State shape="moving">{t("held.refundText")}</State>
        </Row>
      ))}
      {rest !== 0 && (
        <li className="explanation-line small second">
          <span>{t("held.rest")}</span>
          <Money brl={rest} />
        </li>
      )}
    </ul>
  );
}

function HeldWithdrawal({ withdrawal }: { withdrawal: merchant.Withdrawal }) {
  const { t } = useTranslation();
  const { shape, state, detail } = useWithdrawalWords(withdrawal);
  const who = (
    <>
      {t("held.withdrawal")} <FreeText>{withdrawal.snapshotHolderName}</FreeText>
    </>
  );
  return (
    <Row href={`/withdrawals?open=${withdrawal.id}`} amount={withdrawal.amount} who={who}>
      <State shape={shape}>{state}</State>
      {detail !== "" && <span className="block">{detail}</span>}
    </Row>
  );
}

function Row(props: { href: string; amount: number; who: ReactNode; children: ReactNode }) {
  return (
    <li className="explanation-line">
      <Link href={props.href} className="link">
        {props.who}
      </Link>
      <Money brl={props.amount} />
      <div className="small second held-why">{props.children}</div>
    </li>
  );
}
