import { Button } from "@mantine/core";
import { addBrl, type merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link as Charges } from "wouter";
import type { Answers } from "../generated/answers.ts";
import { showBrl } from "../parts/amount.ts";
import { useChange } from "../parts/change.ts";
import { CodePicture } from "../parts/code-picture.tsx";
import { stateColumn, timeColumn } from "../parts/columns.tsx";
import { copy } from "../parts/copy.ts";
import { useCounted } from "../parts/counted.ts";
import { Facts } from "../parts/facts.tsx";
import { Failure, Read } from "../parts/feedback.tsx";
import { CopyAct } from "../parts/id.tsx";
import { showInFull } from "../parts/instant.ts";
import { ListScreen } from "../parts/list-screen.tsx";
import { Money } from "../parts/money.tsx";
import { type Shape, State } from "../parts/state.tsx";
import { Waits } from "../parts/waits.tsx";
import { callConsole } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";
import { NewLink } from "./new.tsx";

type Link = merchant.PaymentLink;

const SHAPES: Readonly<Record<string, Shape>> = {
  active: "done",
  sold_out: "ended",
  expired: "ended",
  disabled: "ended",
};

/** Addresses that sell without a program: each with what was paid, and how often its page was opened. */
export default function PaymentLinks() {
  const { t } = useTranslation();
  const { pixgate, scope, may } = useSession();
  const title = t("nav.paymentLinks");
  const sumOf = useCounted<Link>("links", (links) => [
    t("paymentLinks.paidSum", { amount: showBrl(addBrl(...links.map(({ paidAmount }) => paidAmount))) }),
  ]);
  return (
    <ListScreen<Link>
      title={title}
      make={
        may("PIX:WRITE") && {
          text: t("paymentLinks.new"),
          panel: (opened, close) => <NewLink opened={opened} onClose={close} />,
        }
      }
      queryKey={[...scope, "paymentLinks"]}
      read={({ cursor }) => pixgate.paymentLinks.list(cursor === undefined ? {} : { cursor }).page()}
      keyOf={({ id }) => id}
      sumOf={sumOf}
      empty={t("paymentLinks.empty")}
      above={(links) => <Reach links={links} />}
      panel={{ title: (link) => link?.name ?? title, body: (link) => <LinkDetails key={link.id} link={link} /> }}
      columns={[
        { key: "name", title: t("paymentLinks.name"), className: "lead", cell: ({ name }) => name, corner: "who" },
        stateColumn(t("charges.column.state"), (link) => <LinkState link={link} />, {
          phone: (link) => (
            <>
              <LinkState link={link} /> · <PaidTimes link={link} />
            </>
          ),
        }),
        timeColumn(t("list.created"), ({ createdAt }) => createdAt, { corner: undefined }),
        // On a phone the amount is the price: what was paid, at first nothing, would be read as it.
        {
          key: "price",
          title: t("paymentLinks.amount"),
          end: true,
          corner: "amount",
          cell: (link) => <Price link={link} />,
        },
        {
          key: "payments",
          title: t("paymentLinks.payments"),
          end: true,
          cell: (link) => <Payments link={link} />,
        },
        {
          key: "paid",
          title: t("paymentLinks.paid"),
          end: true,
          className: "lead",
          cell: ({ paidAmount }) => <Money brl={paidAmount} />,
          corner: "time",
          phone: ({ paidAmount }) => t("paymentLinks.paidSum", { amount: showBrl(paidAmount) }),
        },
        { key: "copy", title: t("paymentLinks.address"), end: true, cell: (link) => <CopyOf link={link} /> },
      ]}
    />
  );
}

/** What is paid by it; between which amounts, where the payer chooses. */
function Price({ link: { amount, minAmount, maxAmount } }: { link: Link }) {
  const { t } = useTranslation();
  if (amount !== undefined) return <Money brl={amount} />;
  const [least, most] = [minAmount, maxAmount].map((brl) => (brl === undefined ? undefined : showBrl(brl)));
  const text =
    least !== undefined && most !== undefined
      ? t("paymentLinks.between", { least, most })
      : least !== undefined
        ? t("paymentLinks.from", { least })
        : most !== undefined
          ? t("paymentLinks.upTo", { most })
          : t("paymentLinks.payersAmount");
  // Each amount stays in one line; a range goes on in the next.
  return <span className={least === undefined && most === undefined ? "quiet" : undefined}>{text}</span>;
}

/** A link that sells can be copied at once: that is what it is for. */
function CopyOf({ link: { url, status } }: { link: Link }) {
  const { t } = useTranslation();
  if (status !== "active" || url === undefined) return <span className="quiet">–</span>;
  return (
    <span className="num">
      <CopyAct text={url} act={t("paymentLinks.copyLink")} />
    </span>
  );
}

function Payments({ link: { payments, maxPayments } }: { link: Link }) {
  const { t } = useTranslation();
  const shown = maxPayments === undefined ? payments : t("paymentLinks.ofMost", { count: payments, most: maxPayments });
  return <span className="num">{shown}</span>;
}

const isUnreachable = ({ url, status }: Link) => url === undefined && status === "active";

/** What a link is for; where nobody can open those that sell, that, and who can change it. */
function Reach({ links }: { links: readonly Link[] }) {
  const { t } = useTranslation();
  if (!links.some(isUnreachable)) return <p className="second gap-below">{t("paymentLinks.lead")}</p>;
  return <Waits below={t("paymentLinks.unreachableText")}>{t("paymentLinks.unreachable")}</Waits>;
}

/** How often it was paid, for a phone; of how many times, where that is limited. */
function PaidTimes({ link: { payments, maxPayments } }: { link: Link }) {
  const { t } = useTranslation();
  if (maxPayments !== undefined) return <>{t("paymentLinks.paidOfMost", { count: payments, most: maxPayments })}</>;
  return <>{payments === 0 ? t("paymentLinks.notPaid") : t("paymentLinks.paidTimes", { count: payments })}</>;
}

function LinkState({ link }: { link: Link }) {
  const { t } = useTranslation();
  const { status } = link;
  if (isUnreachable(link)) return <State shape="needs">{t("paymentLinks.notReachable")}</State>;
  return (
    <State shape={SHAPES[status] ?? "ended"}>{t(`paymentLinks.status.${status}`, { defaultValue: status })}</State>
  );
}

/** A link: its address, its figures, and a switch that stops it. */
function LinkDetails({ link }: { link: Link }) {
  const { t, i18n } = useTranslation();
  const { pixgate, may } = useSession();
  const isOff = link.status === "disabled";
  const turn = useChange(() => pixgate.paymentLinks.update(link.id, { status: isOff ? "active" : "disabled" }));
  const { url } = link;
  return (
    <div className="stack">
      <p className="mono">{url ?? t("paymentLinks.noAddress")}</p>
      {url !== undefined && (
        <div className="flow">
          <Button onClick={() => copy(url)}>{t("paymentLinks.copy")}</Button>
          <Button component="a" variant="default" href={url} target="_blank" rel="noreferrer">
            {t("paymentLinks.open")}
          </Button>
        </div>
      )}
      <Facts
        facts={[
          [t("paymentLinks.amount"), <Price key="amount" link={link} />],
          [t("charges.column.state"), <LinkState key="state" link={link} />],
          [t("newCharge.description"), link.description],
          [t("paymentLinks.payments"), <Payments key="payments" link={link} />],
          [t("paymentLinks.paid"), <Money key="paid" brl={link.paidAmount} />],
          [t("paymentLinks.opened"), String(link.opened)],
          [t("paymentLinks.started"), String(link.started)],
          [t("paymentLinks.ends"), link.expiresAt && showInFull(new Date(link.expiresAt), i18n.language)],
          [
            t("paymentLinks.fields"),
            link.fields.map(({ label }) => label.replaceAll("-", "\u2011")).join(", ") || null,
          ],
        ]}
      />
      {url !== undefined && <Picture url={url} name={link.name} />}
      <p>
        <Charges href={`/charges?link=${link.id}`} className="act">
          {t("paymentLinks.charges")}
        </Charges>
      </p>
      {turn.error && <Failure error={turn.error} />}
      {may("PIX:WRITE") && (
        <>
          <p className="note">{t(isOff ? "paymentLinks.turnOnText" : "paymentLinks.turnOffText")}</p>
          <Button variant="default" loading={turn.isPending} onClick={() => turn.mutate()}>
            {t(isOff ? "paymentLinks.turnOn" : "paymentLinks.turnOff")}
          </Button>
        </>
      )}
    </div>
  );
}

function Picture({ url, name }: { url: string; name: string }) {
  const { t } = useTranslation();
  const query = useQuery({
    queryKey: ["qr", url],
    queryFn: () => callConsole<Answers["drawCode"]>("GET", `/qr?code=${encodeURIComponent(url)}`),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Read query={query} lines={7}>
      {({ image }) => (
        <>
          <CodePicture src={image} alt={t("paymentLinks.qr")} />
          <div>
            <Button component="a" variant="default" href={image} download={`${name}.png`}>
              {t("paymentLinks.downloadQr")}
            </Button>
          </div>
        </>
      )}
    </Read>
  );
}
