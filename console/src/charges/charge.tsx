import { Button, Menu } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useParams } from "wouter";
import { copy } from "../parts/copy.ts";
import { showDocument } from "../parts/document.ts";
import { Facts } from "../parts/facts.tsx";
import { FailureWords, Loading, Read } from "../parts/feedback.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { Icon } from "../parts/icon.tsx";
import { Id } from "../parts/id.tsx";
import { BigMoney } from "../parts/money.tsx";
import { Page, Section } from "../parts/page.tsx";
import { shortId } from "../parts/short-id.ts";
import { type Step, Timeline } from "../parts/timeline.tsx";
import { useSession } from "../session/session.tsx";
import { useLinesOf } from "../statement/booked.tsx";
import { withTexts } from "../texts/language.ts";
import { PixCode } from "./code.tsx";
import { type Deliveries, useDeliveries } from "./deliveries.ts";
import { dueFacts } from "./due.tsx";
import { DueCalendar } from "./due-calendar.tsx";
import { EditDue } from "./edit-due.tsx";
import { EndCharge, type Ending, leftOf } from "./end.tsx";
import { ChargeInvoice } from "./invoice.tsx";
import { Contested, WhereTheMoneyWent } from "./money-went.tsx";
import { Notes } from "./notes.tsx";
import { PayerPhone } from "./phone.tsx";
import { Receipt } from "./receipt.tsx";
import { requestAsCurl, requestAsTypeScript } from "./request.ts";
import { ChargeState } from "./state.tsx";
import { useSteps } from "./steps.tsx";

type Charge = merchant.Transaction;
const ChargeRoute = lazy(() => withTexts(() => import("../operator/charge-route.tsx"), "operator"));

/** A charge: what happened, where its money went, and in the sandbox the phone of whoever pays it. */
export default function ChargeScreen() {
  const { pixgate, scope } = useSession();
  const { id = "" } = useParams<{ id: string }>();
  const query = useQuery({ queryKey: [...scope, "charge", id], queryFn: () => pixgate.transactions.get(id) });
  return (
    <Read query={query} lines={8}>
      {(charge) => <Details key={charge.id} charge={charge} />}
    </Read>
  );
}

function Details({ charge }: { charge: Charge }) {
  const { t } = useTranslation();
  const deliveries = useDeliveries(charge);
  const lines = useLinesOf(charge, charge.status === "completed");
  // A dispute stands in the heading, where it would push all below it down: nothing is shown before the ledger was read once.
  const wasRead = useRef(false);
  wasRead.current ||= !lines.isLoading;
  const wasShown = useRef(false);
  useEffect(() => {
    if (deliveries.read !== null || deliveries.error) wasShown.current = true;
  });
  // Its place stays while the page is open: what stands below does not move when the charge is paid.
  const code = useRef(charge.status === "pending" ? charge.pixCopyPaste : undefined);
  const { session, may } = useSession();
  const [editing, setEditing] = useState(false);
  const [ending, setEnding] = useState<Ending | null>(null);
  if (!wasRead.current) return <Loading lines={8} />;
  return (
    <Page
      title={charge.externalReference ?? shortId(charge.id)}
      crumb={{ href: "/charges", text: t("nav.charges") }}
      heading={
        <span className="title-line">
          <BigMoney brl={charge.amount} />
          <span className="size-15">
            <Contested lines={lines.data}>
              <ChargeState charge={charge} />
            </Contested>
          </span>
        </span>
      }
      acts={<Acts charge={charge} onEnd={setEnding} onEdit={() => setEditing(true)} />}
    >
      <Lead charge={charge} />
      <div className={session.environment === "sandbox" ? "split with-phone split-below" : "split-below"}>
        <div>
          {code.current !== undefined && <PixCode code={code.current} charge={charge} />}
          <History charge={charge} deliveries={deliveries} lines={lines.data} />
          {/* Below the steps, where further ones would push them down. So long that a phone does not see what moves below. */}
          {deliveries.read === null && !deliveries.error && !wasShown.current ? (
            <Loading lines={16} />
          ) : (
            <>
              {charge.status === "pending" && charge.due && may("PIX:WRITE") && (
                <Section title={t("due.calendar")}>
                  <DueCalendar of={{ transactionId: charge.id, due: charge.due }} />
                </Section>
              )}
              <WhereTheMoneyWent charge={charge} lines={lines} />
              <Data charge={charge} />
              {charge.fiscal && <ChargeInvoice charge={charge} fiscal={charge.fiscal} />}
              <Notes id={charge.id} />
              {session.installationRole !== null && (
                <Suspense fallback={<Loading lines={3} />}>
                  <ChargeRoute id={charge.id} />
                </Suspense>
              )}
            </>
          )}
        </div>
        {session.environment === "sandbox" && <PayerPhone charge={charge} />}
      </div>
      {charge.due && <EditDue charge={charge} due={charge.due} opened={editing} onClose={() => setEditing(false)} />}
      <EndCharge charge={charge} ending={ending} onClose={() => setEnding(null)} />
    </Page>
  );
}

/** Who paid, and for what. */
function Lead({ charge: { counterpartName, description = "" } }: { charge: Charge }) {
  return (
    <p className="second">
      {counterpartName !== undefined && (
        <>
          <FreeText>{counterpartName}</FreeText> ·{" "}
        </>
      )}
      <FreeText>{description}</FreeText>
    </p>
  );
}

function Acts({ charge, onEnd, onEdit }: { charge: Charge; onEnd: (ending: Ending) => void; onEdit: () => void }) {
  const { t } = useTranslation();
  const { may } = useSession();
  const writes = may("PIX:WRITE");
  const refundable = charge.status === "completed" && charge.refund?.status !== "PENDING" && leftOf(charge) > 0;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<Icon name="code" />} rightSection={<Icon name="down" size={12} />}>
            {t("charge.copy")}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {charge.pixCopyPaste && (
            <Menu.Item onClick={() => copy(charge.pixCopyPaste ?? "")}>{t("charge.copyPix")}</Menu.Item>
          )}
          <Menu.Item onClick={() => copy(requestAsCurl(charge))}>{t("charge.copyCurl")}</Menu.Item>
          <Menu.Item onClick={() => copy(requestAsTypeScript(charge))}>{t("charge.copyTypeScript")}</Menu.Item>
          <Menu.Item onClick={() => copy(charge.id)}>{t("charge.copyId")}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {writes && charge.status === "pending" && charge.due && (
        <Button variant="default" onClick={onEdit}>
          {t("due.edit")}
        </Button>
      )}
      {writes && charge.status === "pending" && (
        <Button variant="default" onClick={() => onEnd("cancel")}>
          {t("charge.cancel")}
        </Button>
      )}
      {may("REFUND:WRITE") && refundable && (
        <Button variant="default" leftSection={<Icon name="back" />} onClick={() => onEnd("refund")}>
          {t("charge.refund")}
        </Button>
      )}
      <Receipt transaction={charge} />
    </>
  );
}

/** What is known at once; the deliveries come, or what kept them from being read. */
function History({
  charge,
  deliveries: { read, error, retry },
  lines,
}: {
  charge: Charge;
  deliveries: Deliveries;
  lines: readonly merchant.StatementItem[] | undefined;
}) {
  const { t } = useTranslation();
  const steps = useSteps(charge, read ?? [], lines ?? []);
  const unread: Step = error
    ? {
        key: "unread",
        at: null,
        shape: "failed",
        fact: t("charge.step.deliveriesUnread"),
        detail: <FailureWords error={error} retry={retry} />,
      }
    : { key: "unread", at: null, shape: "moving", fact: t("charge.step.deliveriesRead"), detail: "\u00a0" };
  // Deliveries come after the payment: what is known to have followed it would be pushed down by them.
  const until = charge.paidAt ?? charge.createdAt;
  const settled = read === null && !error ? steps.filter(({ at }) => at !== null && at <= until) : steps;
  return (
    <Section title={t("charge.history")}>
      <Timeline steps={read === null ? [...settled, unread] : steps} />
    </Section>
  );
}

function Data({ charge }: { charge: Charge }) {
  const { t, i18n } = useTranslation();
  const mono = (text: string | undefined) => (text === undefined ? null : <span className="mono">{text}</span>);
  return (
    <Section title={t("charge.data")}>
      <Facts
        facts={[
          [t("charge.id"), mono(charge.id)],
          [t("charge.reference"), charge.externalReference],
          ...dueFacts(charge, t, i18n.language),
          [t("charge.txid"), mono(charge.txid)],
          [
            t("charge.endToEnd"),
            charge.e2eId ? (
              <Id key="e2e">{charge.e2eId}</Id>
            ) : (
              <span key="e2e" className="quiet">
                {t("charge.bornWithPayment")}
              </span>
            ),
          ],
          [t("charge.institution"), charge.institution],
          [t("charge.payer"), charge.counterpartName],
          [t("charge.document"), showDocument(charge.counterpartDocument)],
          [t("charge.metadata"), charge.metadata === undefined ? null : mono(JSON.stringify(charge.metadata))],
        ]}
      />
    </Section>
  );
}
