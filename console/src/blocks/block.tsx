import { ApiError, type merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "wouter";
import { showBrl } from "../parts/amount.ts";
import { csvFormat } from "../parts/csv.ts";
import { showDocument } from "../parts/document.ts";
import { Facts } from "../parts/facts.tsx";
import { Empty, Read } from "../parts/feedback.tsx";
import { FileButton } from "../parts/file-button.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { showDayAndClock, showInFull } from "../parts/instant.ts";
import { BigMoney } from "../parts/money.tsx";
import { Page, Section } from "../parts/page.tsx";
import { shortId } from "../parts/short-id.ts";
import { State } from "../parts/state.tsx";
import { type Step, Timeline } from "../parts/timeline.tsx";
import { useSession } from "../session/session.tsx";
import { BlockType } from "./blocks.tsx";
import { TimeLeft } from "./countdown.tsx";
import { Defense } from "./defense.tsx";
import { PayerHistory } from "./payer.tsx";
import { SandboxBank } from "./sandbox-bank.tsx";
import { BlockState } from "./state.tsx";

/** A disputed payment: what is left to answer it, the defence, the payer's other Pix, what each end does to the balance. */
export default function BlockScreen() {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const { id = "" } = useParams<{ id: string }>();
  const query = useQuery({
    queryKey: [...scope, "block", id],
    queryFn: async () => {
      const block = await pixgate.balanceBlocks.get(id).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      });
      if (block === null) return { block, payment: null };
      const { transactionId } = block;
      const payment = transactionId === undefined ? null : await pixgate.transactions.get(transactionId);
      return { block, payment };
    },
  });
  return (
    <Read query={query} lines={8}>
      {({ block, payment }) =>
        block === null ? (
          <Page title={t("nav.blocks")} crumb={{ href: "/blocks", text: t("blocks.title") }}>
            <Empty>{t("blocks.notFound")}</Empty>
          </Page>
        ) : (
          <Details block={block} payment={payment} />
        )
      }
    </Read>
  );
}

type Case = { block: merchant.BalanceBlock; payment: merchant.Transaction | null };

function Details({ block, payment }: Case) {
  const { t, i18n } = useTranslation();
  const { session } = useSession();
  const open = block.status === "awaiting_response" || block.status === "defended";
  const says = block.blockType === "med" ? payment?.counterpartName : undefined;
  return (
    <Page
      title={block.externalReference ?? shortId(block.id)}
      crumb={{ href: "/blocks", text: t("blocks.title") }}
      heading={
        <span className="title-line">
          <BigMoney brl={block.amount} />
          <span className="size-15">
            <BlockState block={block} />
          </span>
        </span>
      }
      acts={
        block.status === "awaiting_response" && (
          <div className="deadline">
            <div className="headline">
              <TimeLeft until={block.respondBy ?? block.heldUntil} />
            </div>
            {block.respondBy !== undefined && (
              <div className="small quiet">
                {t("blocks.respondBy", { when: showDayAndClock(new Date(block.respondBy), i18n.language) })}
              </div>
            )}
          </div>
        )
      }
    >
      {block.reason !== undefined && (
        <p className="second">
          {says === undefined ? t("blocks.why") : t("blocks.contests", { name: says })}:{" "}
          <FreeText>{block.reason}</FreeText>
        </p>
      )}
      <div className="split split-below">
        <div>
          <Defense block={block} payment={payment} />
          <Changes block={block} />
          {open ? <Effects block={block} payment={payment} /> : <Result block={block} />}
        </div>
        <div>
          <Data block={block} payment={payment} />
          <File block={block} />
          {payment?.customerId !== undefined && <PayerHistory payment={payment} />}
          {open && session.environment === "sandbox" && <SandboxBank block={block} />}
        </div>
      </div>
    </Page>
  );
}

/** Everything about the dispute in one click, for whoever has to judge it. */
function File({ block: { id } }: Pick<Case, "block">) {
  const { t, i18n } = useTranslation();
  const { pixgate } = useSession();
  const language = csvFormat(i18n.language);
  return (
    <Section title={t("blocks.file")}>
      <p className="small second">{t("blocks.fileText")}</p>
      <div className="file-acts gap-above">
        {(["pdf", "zip"] as const).map((type) => (
          <FileButton
            key={type}
            name={`dispute-${shortId(id)}.${type}`}
            type={`application/${type}`}
            read={() => pixgate.balanceBlocks.gatherAs(`application/${type}`, id, { language })}
          >
            {t(`blocks.fileAs.${type}`)}
          </FileButton>
        ))}
      </div>
    </Section>
  );
}

/** How the bank has changed what it contests: from which amount to which, and when. */
function Changes({ block: { createdAt, amountChanges } }: Pick<Case, "block">) {
  const { t } = useTranslation();
  const [first] = amountChanges ?? [];
  if (first === undefined) return null;
  const opened: Step = {
    ...{ key: "opened", at: createdAt, shape: "needs" },
    fact: t("blocks.opened", { amount: showBrl(first.previousAmount) }),
  };
  const changes = (amountChanges ?? []).map(
    ({ previousAmount, amount, changedAt }): Step => ({
      ...{ key: changedAt, at: changedAt, shape: "moving" },
      fact: t(amount > previousAmount ? "blocks.grew" : "blocks.shrank", {
        from: showBrl(previousAmount),
        to: showBrl(amount),
      }),
      detail: t("blocks.byBank"),
    }),
  );
  return (
    <Section title={t("blocks.changes")}>
      <Timeline steps={[opened, ...changes]} />
    </Section>
  );
}

function Effects({ block, payment }: Case) {
  const { t } = useTranslation();
  const amount = showBrl(block.amount);
  const name = payment?.counterpartName ?? t("blocks.payer");
  const line = (shape: "needs" | "done" | "failed", when: string, what: string) => (
    <div>
      <dt>
        <State shape={shape}>{when}</State>
      </dt>
      <dd className="second to-end">{what}</dd>
    </div>
  );
  return (
    <Section title={t("blocks.effects")}>
      <dl className="sums">
        {line("needs", t("blocks.now"), t("blocks.nowText", { amount }))}
        {line("done", t("blocks.ifWon"), t("blocks.ifWonText", { amount }))}
        {line("failed", t("blocks.ifLost"), t("blocks.ifLostText", { amount, name }))}
        {block.status === "awaiting_response" &&
          block.blockType === "med" &&
          line("needs", t("blocks.ifSilent"), t("blocks.ifSilentText"))}
      </dl>
    </Section>
  );
}

function Result({ block }: { block: merchant.BalanceBlock }) {
  const { t, i18n } = useTranslation();
  const reason = block.resolutionReason;
  return (
    <Section title={t("blocks.result")}>
      <Facts
        facts={[
          [t("charges.column.state"), <BlockState key="state" block={block} />],
          [t("blocks.taken"), block.takenAmount === undefined ? null : showBrl(block.takenAmount)],
          [t("blocks.why"), reason && (i18n.exists(`blocks.ends.${reason}`) ? t(`blocks.ends.${reason}`) : reason)],
          [t("blocks.words"), block.resolutionText],
          [t("blocks.when"), block.resolvedAt && showInFull(new Date(block.resolvedAt), i18n.language)],
        ]}
      />
    </Section>
  );
}

function Data({ block, payment }: Case) {
  const { t, i18n } = useTranslation();
  const mono = (text: string | undefined) => (text === undefined ? null : <span className="mono">{text}</span>);
  return (
    <Section title={t("blocks.payment")}>
      <Facts
        facts={[
          [t("blocks.type"), <BlockType key="type" type={block.blockType} />],
          [
            t("charge.reference"),
            payment && (
              <Link href={`/charges/${payment.id}`} className="link">
                {payment.externalReference ?? shortId(payment.id)}
              </Link>
            ),
          ],
          [t("charge.payer"), payment?.counterpartName],
          [t("charge.document"), showDocument(payment?.counterpartDocument)],
          [t("blocks.paidAt"), payment?.paidAt && showInFull(new Date(payment.paidAt), i18n.language)],
          [t("charge.endToEnd"), mono(block.e2eId)],
          [t("blocks.heldUntil"), block.heldUntil && showInFull(new Date(block.heldUntil), i18n.language)],
          [t("blocks.number"), mono(block.referenceNumber)],
        ]}
      />
    </Section>
  );
}
