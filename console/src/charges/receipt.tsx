import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { csvFormat } from "../parts/csv.ts";
import { FileButton } from "../parts/file-button.tsx";
import { shortId } from "../parts/short-id.ts";
import { useSession } from "../session/session.tsx";

/** Stores the receipt of a payment that was taken; of any other there is none. */
export function Receipt({ transaction: { id, type, status } }: { transaction: merchant.Transaction }) {
  const { t, i18n } = useTranslation();
  const { pixgate } = useSession();
  if (type !== "payment" || status !== "completed") return null;
  return (
    <FileButton
      name={`receipt-${shortId(id)}.pdf`}
      type="application/pdf"
      read={() => pixgate.receipts.getAs("application/pdf", id, { language: csvFormat(i18n.language) })}
    >
      {t("transactions.receipt")}
    </FileButton>
  );
}
