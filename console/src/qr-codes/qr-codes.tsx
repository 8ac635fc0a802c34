import "./picture.css";
import type { merchant } from "@pixgate/sdk";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useFigureColumns, useFigureSum, useWithFigures } from "../charges/figures.tsx";
import { stateColumn } from "../parts/columns.tsx";
import { useCounted } from "../parts/counted.ts";
import { csvFormat } from "../parts/csv.ts";
import { downloadFile } from "../parts/download.ts";
import { Failure } from "../parts/feedback.tsx";
import { CopyAct } from "../parts/id.tsx";
import { ListScreen } from "../parts/list-screen.tsx";
import { Money } from "../parts/money.tsx";
import { useSession } from "../session/session.tsx";
import { NewCode } from "./new.tsx";
import { OneCode } from "./one.tsx";
import { CodeState } from "./state.tsx";

/** Codes that stay: printed once, paid often. */
export default function QrCodes() {
  const { t } = useTranslation();
  const { pixgate, scope, may } = useSession();
  const counted = useCounted<merchant.QrCode>("codes", useFigureSum());
  const withFigures = useWithFigures();
  const figures = useFigureColumns<merchant.QrCode>();
  return (
    <ListScreen<merchant.QrCode>
      title={t("nav.qrCodes")}
      make={
        may("PIX:WRITE") && {
          text: t("qrCodes.new"),
          panel: (opened, close) => <NewCode opened={opened} onClose={close} />,
        }
      }
      queryKey={[...scope, "qr-codes"]}
      read={(page) => withFigures((asked) => pixgate.qrCodes.list({ ...page, ...asked }).page())}
      keyOf={({ id }) => id}
      sumOf={counted}
      empty={t("qrCodes.empty")}
      panel={(id, close) => <OneCode id={id} onClose={close} />}
      columns={[
        { key: "name", title: t("qrCodes.name"), className: "lead", cell: ({ name }) => name, corner: "who" },
        {
          key: "kind",
          title: t("qrCodes.kind"),
          className: "second",
          cell: ({ kind }) => t(kind === "till" ? "qrCodes.till" : "qrCodes.static"),
        },
        stateColumn(t("charges.column.state"), ({ status }) => <CodeState status={status} />, {
          phone: ({ status, kind }) => (
            <>
              <CodeState status={status} /> · {t(kind === "till" ? "qrCodes.till" : "qrCodes.static")}
            </>
          ),
        }),
        {
          key: "amount",
          title: t("charges.column.amount"),
          end: true,
          cell: ({ amount, kind }) =>
            amount === undefined ? (
              <span className="quiet">{t(kind === "till" ? "qrCodes.ofCharge" : "qrCodes.ofPayer")}</span>
            ) : (
              <Money brl={amount} />
            ),
          corner: "amount",
        },
        ...figures,
        {
          key: "print",
          title: t("qrCodes.code"),
          end: true,
          // What is paid by a print of a disabled code is late.
          cell: ({ id, name, status, pixCopyPaste }) =>
            status === "active" ? (
              <span className="print-acts">
                <PrintAct id={id} name={name} /> · <CopyAct text={pixCopyPaste} />
              </span>
            ) : (
              <span className="quiet">–</span>
            ),
        },
      ]}
    >
      <p className="second gap-below">{t("qrCodes.lead")}</p>
    </ListScreen>
  );
}

/** The poster of a code, without opening the code. */
function PrintAct({ id, name }: Pick<merchant.QrCode, "id" | "name">) {
  const { t, i18n } = useTranslation();
  const { pixgate } = useSession();
  const language = csvFormat(i18n.language);
  const poster = useMutation({
    mutationFn: () => pixgate.qrCodes.getAs("application/pdf", id, { size: "A4", language }),
    onSuccess: (bytes) => downloadFile(`${name} A4.pdf`, bytes, "application/pdf"),
  });
  if (poster.error) return <Failure error={poster.error} retry={() => poster.mutate()} />;
  return (
    <button type="button" className="act small" disabled={poster.isPending} onClick={() => poster.mutate()}>
      {t("qrCodes.print")}
    </button>
  );
}
