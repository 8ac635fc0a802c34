import type { merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ChargeTable } from "../charges/table.tsx";
import { Read } from "../parts/feedback.tsx";
import { Section } from "../parts/page.tsx";
import { useSession } from "../session/session.tsx";

/** How many of the newest payments are searched: the API has no filter by customer. */
const SEARCHED = 100;

/** The same payer's other Pix, among the newest payments. */
export function PayerHistory({ payment }: { payment: merchant.Transaction }) {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const query = useQuery({
    queryKey: [...scope, "payer", payment.customerId, payment.id],
    queryFn: async () => {
      const { items } = await pixgate.transactions
        .list({ type: "payment", status: "completed", limit: SEARCHED })
        .page();
      return items.filter(({ id, customerId }) => customerId === payment.customerId && id !== payment.id);
    },
  });
  return (
    <Section title={t("blocks.history")}>
      <Read query={query} lines={3}>
        {(charges) =>
          charges.length === 0 ? (
            <p className="small quiet pad-top">{t("blocks.noHistory", { count: SEARCHED })}</p>
          ) : (
            <>
              <ChargeTable charges={charges} size="brief" />
              <p className="label pad-top">{t("blocks.searched", { count: SEARCHED })}</p>
            </>
          )
        }
      </Read>
    </Section>
  );
}
