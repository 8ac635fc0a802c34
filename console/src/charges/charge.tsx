import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useParams } from "wouter";
import { Read } from "../parts/feedback.tsx";
import { BigMoney } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { useSession } from "../session/session.tsx";
import { ChargeState } from "./state.tsx";

export default function ChargeScreen() {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const { id = "" } = useParams<{ id: string }>();
  const query = useQuery({ queryKey: [...scope, "charge", id], queryFn: () => pixgate.transactions.get(id) });
  return (
    <Read query={query} lines={8}>
      {(charge) => (
        <Page
          title={charge.externalReference ?? id.slice(0, 8)}
          crumb={{ href: "/charges", text: t("nav.charges") }}
          heading={
            <>
              <BigMoney brl={charge.amount} /> <ChargeState charge={charge} />
            </>
          }
        >
          <p className="second">{charge.description}</p>
        </Page>
      )}
    </Read>
  );
}
