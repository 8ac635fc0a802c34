import { Button, Textarea } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl } from "../parts/amount.ts";
import { useChange } from "../parts/change.ts";
import { Failure } from "../parts/feedback.tsx";
import { showInFull } from "../parts/instant.ts";
import { Section } from "../parts/page.tsx";
import { useSession } from "../session/session.tsx";
import { Evidence } from "./evidence.tsx";

type Payment = merchant.Transaction;

/** The defence that was sent, or the one to write, with its evidence; it can be begun with what the books know about the payment. */
export function Defense({ block, payment }: { block: merchant.BalanceBlock; payment: Payment | null }) {
  const { t } = useTranslation();
  const { may } = useSession();
  const writes = block.status === "awaiting_response" && block.blockType === "med";
  if (writes && may("BALANCE_BLOCK:WRITE")) return <Write block={block} payment={payment} />;
  return (
    <>
      <Section title={t("blocks.defense")}>
        {writes ? <p className="small quiet">{t("feedback.forbidden")}</p> : <Sent block={block} />}
      </Section>
      <Section title={t("blocks.evidence")}>
        <Evidence block={block} />
      </Section>
    </>
  );
}

function Sent({ block: { defense, defenseStatus } }: { block: merchant.BalanceBlock }) {
  const { t } = useTranslation();
  return (
    <>
      <p className={defense === undefined ? "as-typed small quiet" : "as-typed"}>{defense ?? t("blocks.noDefense")}</p>
      {defenseStatus !== undefined && <p className="small quiet">{t(`blocks.defenseStatus.${defenseStatus}`)}</p>}
    </>
  );
}

function Write({ block, payment }: { block: merchant.BalanceBlock; payment: Payment | null }) {
  const { t } = useTranslation();
  const { pixgate } = useSession();
  const [text, setText] = useState("");
  const [checked, setChecked] = useState(false);
  const change = (next: string) => {
    setText(next);
    setChecked(false);
  };
  const gap = gapIn(text);
  const defend = useChange(() => pixgate.balanceBlocks.defend(block.id, { text: text.trim() }));
  return (
    <Section
      title={t("blocks.defense")}
      end={
        payment !== null && (
          <button type="button" className="act" onClick={() => change(templateOf(payment))}>
            {t("blocks.template")}
          </button>
        )
      }
    >
      <div className="stack pad-top">
        <Textarea
          aria-label={t("blocks.defense")}
          placeholder={t("blocks.placeholder")}
          autosize
          minRows={7}
          maxLength={4000}
          value={text}
          error={gap && t("blocks.gap", { gap })}
          onChange={({ currentTarget }) => change(currentTarget.value)}
        />
        <h3 className="small">{t("blocks.evidence")}</h3>
        <Evidence block={block} />
        {defend.error && <Failure error={defend.error} />}
        <div className="between answer-acts">
          <span className="small quiet" role="status">
            {t(checked ? "blocks.check" : "blocks.once")}
          </span>
          <span className="flow">
            {payment !== null && (
              <Button variant="default" component={Link} href={`/charges/${payment.id}`}>
                {t("blocks.accept")}
              </Button>
            )}
            <Button
              disabled={text.trim() === "" || gap !== null}
              loading={defend.isPending}
              onClick={() => (checked ? defend.mutate() : setChecked(true))}
            >
              {t(checked ? "blocks.sendNow" : "blocks.send")}
            </Button>
          </span>
        </div>
      </div>
    </Section>
  );
}

/** What a template leaves to be written, such as `[data]`; null: nothing. A bank would read it as it stands. */
const gapIn = (text: string): string | null => /\[[^\]\d][^\]]{0,60}\]/.exec(text)?.[0] ?? null;

/** In Portuguese whatever the person's language: a Brazilian institution reads it. */
function templateOf({ amount, createdAt, paidAt, ...payment }: Payment): string {
  const { externalReference, description, counterpartName, e2eId } = payment;
  const when = (at: string) => showInFull(new Date(at), "pt-BR");
  const what = externalReference === undefined ? "A cobrança" : `A cobrança ${externalReference}`;
  const paid =
    paidAt === undefined ? "" : ` e paga em ${when(paidAt)}${counterpartName ? ` por ${counterpartName}` : ""}`;
  return [
    `${what}, de ${showBrl(amount)}, foi criada em ${when(createdAt)}${paid}.`,
    ...(description === undefined ? [] : [`O que foi vendido: ${description}.`]),
    ...(e2eId === undefined ? [] : [`Identificador fim a fim do Pix: ${e2eId}.`]),
    "O produto ou serviço foi entregue em [data], a [quem recebeu].",
  ].join("\n\n");
}
