import { Button } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { type InfiniteData, useIsFetching, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { Received } from "../charges/figures.tsx";
import { useChange } from "../parts/change.ts";
import { CodePicture } from "../parts/code-picture.tsx";
import { csvFormat } from "../parts/csv.ts";
import { Facts } from "../parts/facts.tsx";
import { Failure, Read } from "../parts/feedback.tsx";
import { FileButton } from "../parts/file-button.tsx";
import { CopyAct } from "../parts/id.tsx";
import { Money } from "../parts/money.tsx";
import { Panel } from "../parts/panel.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { CodeState } from "./state.tsx";

/** A code: its picture, its posters to print, and switching it off. */
export function OneCode({ id, onClose }: { id: string | null; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const query = useQuery({
    queryKey: [...scope, "qr-code", id],
    queryFn: () => pixgate.qrCodes.get(id ?? ""),
    enabled: id !== null,
  });
  return (
    <Panel title={query.data?.name ?? t("qrCodes.one")} opened={id !== null} onClose={onClose}>
      <Read query={query} lines={7}>
        {(code) => <Details code={code} onDeleted={onClose} />}
      </Read>
    </Panel>
  );
}

/** What the list behind says that a code has brought; undefined where the list does not have it. */
function useFigures(id: string): merchant.QrCode["figures"] {
  const { scope } = useSession();
  const queryKey = [...scope, "qr-codes"];
  useIsFetching({ queryKey });
  const read = useQueryClient().getQueryData<InfiniteData<merchant.QrCodePage>>(queryKey);
  return read?.pages.flatMap(({ items }) => items).find((one) => one.id === id)?.figures;
}

const pictureOf = ({ qrCodeSvg = "" }: merchant.QrCode): string =>
  `data:image/svg+xml,${encodeURIComponent(qrCodeSvg)}`;

function Details({ code, onDeleted }: { code: merchant.QrCode; onDeleted: () => void }) {
  const { t } = useTranslation();
  const { pixgate, may } = useSession();
  const { id, name, kind, amount, status, pixCopyPaste, txid } = code;
  const change = useChange((next: "active" | "disabled") => pixgate.qrCodes.update(id, { status: next }));
  const remove = useChange(() => pixgate.qrCodes.delete(id), onDeleted);
  const active = status === "active";
  const figures = useFigures(id);
  return (
    <>
      <CodeState status={status} />
      {kind === "till" && <ShownNow id={id} />}
      <CodePicture src={pictureOf(code)} alt={t("newCharge.qr")} />
      <div className="file-acts">
        <Posters id={id} name={name} />
      </div>
      <div className="flow-wide">
        <a className="act" href={pictureOf(code)} download={`${name}.svg`}>
          {t("qrCodes.download")}
        </a>
        <CopyAct text={pixCopyPaste} act={t("qrCodes.copyPix")} />
      </div>
      <Facts
        facts={[
          [t("qrCodes.kind"), kind === "till" ? t("qrCodes.till") : t("qrCodes.static")],
          [
            t("charges.column.amount"),
            amount === undefined ? (
              t(kind === "till" ? "qrCodes.ofCharge" : "qrCodes.ofPayer")
            ) : (
              <Money key="amount" brl={amount} />
            ),
          ],
          [t("figures.payments"), figures && `${figures.payments}${figures.more ? "+" : ""}`],
          [t("figures.received"), figures && <Received key="received" figures={figures} />],
          [t("list.created"), <Moment key="created" at={code.createdAt} />],
        ]}
      />
      {txid !== undefined && <p className="small second mono">{t("qrCodes.txid", { txid })}</p>}
      <p>
        <Link href={`/charges?code=${id}`} className="act">
          {t("qrCodes.charges")}
        </Link>
      </p>
      {may("PIX:WRITE") && (
        <>
          <p className="note">{t(`qrCodes.${active ? "disables" : "enables"}.${kind}`)}</p>
          {change.error && <Failure error={change.error} />}
          <Button
            variant="default"
            loading={change.isPending}
            onClick={() => change.mutate(active ? "disabled" : "active")}
          >
            {active ? t("qrCodes.disable") : t("qrCodes.enable")}
          </Button>
          {!active && (
            <>
              {remove.error && <Failure error={remove.error} />}
              <Button variant="default" color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
                {t("qrCodes.delete")}
              </Button>
            </>
          )}
        </>
      )}
    </>
  );
}

/** The charge that stands on a till: what whoever scans its printed code pays now. */
function ShownNow({ id }: { id: string }) {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const { data } = useQuery({
    queryKey: [...scope, "charges", "till", id],
    queryFn: () => pixgate.transactions.list({ type: "payment", status: "pending", qrCodeId: id, limit: 1 }).page(),
  });
  const [charge] = data?.items ?? [];
  return (
    <p>
      {data && charge === undefined && <span className="second">{t("qrCodes.nothingNow")}</span>}
      {charge && (
        <>
          {t("qrCodes.now")} <Money brl={charge.amount} />{" "}
          <Link href={`/charges/${charge.id}`} className="act">
            {charge.externalReference ?? t("qrCodes.openCharge")}
          </Link>
        </>
      )}
    </p>
  );
}

/** What hangs on a wall, and what stands on a counter. */
function Posters({ id, name }: Pick<merchant.QrCode, "id" | "name">) {
  const { t, i18n } = useTranslation();
  const { pixgate } = useSession();
  const language = csvFormat(i18n.language);
  return (["A4", "A6"] as const).map((size) => (
    <FileButton
      key={size}
      name={`${name} ${size}.pdf`}
      type="application/pdf"
      variant={size === "A4" ? "filled" : "default"}
      read={() => pixgate.qrCodes.getAs("application/pdf", id, { size, language })}
    >
      {t("qrCodes.poster", { size })}
    </FileButton>
  ));
}
