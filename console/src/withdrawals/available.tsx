import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl } from "../parts/amount.ts";
import { useSession } from "../session/session.tsx";

/** What can leave now. Its line is always there. */
export function Available() {
  const { t } = useTranslation();
  const { pixgate, scope, may } = useSession();
  const { data } = useQuery({
    queryKey: [...scope, "balance"],
    queryFn: () => pixgate.account.get(),
    enabled: may("ACCOUNT:READ"),
  });
  return (
    <p className="today second num">
      {data && (
        <>
          {t("withdrawals.available")} <Link href="/statement">{showBrl(data.balance.available.amountFormatted)}</Link>
        </>
      )}
    </p>
  );
}
