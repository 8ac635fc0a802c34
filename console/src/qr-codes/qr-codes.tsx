import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { useFigureColumns, useFigureSum, useWithFigures } from "../charges/figures.tsx";
import { stateColumn, timeColumn } from "../parts/columns.tsx";
import { useCounted } from "../parts/counted.ts";
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
        { key: "kind", title: t("qrCodes.kind"), cell: ({ kind }) => <Kind kind={kind} /> },
        stateColumn(t("charges.column.state"), ({ status }) => <CodeState status={status} />, {
          phone: ({ status, kind }) => (
            <>
              <CodeState status={status} /> · <Kind kind={kind} />
            </>
          ),
        }),
        timeColumn(t("list.created"), ({ createdAt }) => createdAt, { corner: undefined }),
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
      ]}
    >
      <p className="second gap-below">{t("qrCodes.lead")}</p>
    </ListScreen>
  );
}

function Kind({ kind }: Pick<merchant.QrCode, "kind">) {
  const { t } = useTranslation();
  return kind === "till" ? t("qrCodes.till") : t("qrCodes.static");
}
