import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { ChargeTable } from "../charges/table.tsx";
import { Empty, Read } from "../parts/feedback.tsx";
import { BigMoney, Money } from "../parts/money.tsx";
import { Page, Section } from "../parts/page.tsx";
import { useSession } from "../session/session.tsx";

export default function Home() {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const balance = useQuery({ queryKey: [...scope, "balance"], queryFn: () => pixgate.account.get() });
  const recent = useQuery({
    queryKey: [...scope, "charges", "recent"],
    queryFn: () => pixgate.transactions.list({ type: "payment", limit: 8 }).page(),
  });
  return (
    <Page title={t("nav.home")}>
      <Read query={balance} lines={3}>
        {({ balance: { available, held } }) => (
          <>
            <div className="small second">{t("home.available")}</div>
            <BigMoney brl={available.amount} />
            <div className="small quiet">
              {t("home.held")} <Money brl={held.amount} />
            </div>
          </>
        )}
      </Read>
      <Section
        title={t("home.recent")}
        end={
          <Link href="/charges" className="act">
            {t("home.all")}
          </Link>
        }
      >
        <Read query={recent} lines={8}>
          {({ items }) =>
            items.length === 0 ? <Empty>{t("charges.empty")}</Empty> : <ChargeTable charges={items} short />
          }
        </Read>
      </Section>
    </Page>
  );
}
