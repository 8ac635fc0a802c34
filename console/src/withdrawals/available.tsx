import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl } from "../parts/amount.ts";
import { useSession } from "../session/session.tsx";
import "./withdrawals.css";

/** The wallet's balances, for who may see them. */
export function useBalance() {
  const { pixgate, scope, may } = useSession();
  return useQuery({
    queryKey: [...scope, "balance"],
    queryFn: () => pixgate.account.get(),
    enabled: may("ACCOUNT:READ"),
  });
}

/** What can leave now. Its line is always there. `onAll`: takes all of it. */
export function Available({ onAll }: { onAll?: (brl: number) => void }) {
  const { t } = useTranslation();
  const { data } = useBalance();
  const available = data?.balance.available.amountFormatted ?? 0;
  return (
    <p className={onAll ? "available-line second num" : "today second num"}>
      {data && (
        <>
          {t("withdrawals.available")}{" "}
          <Link href="/statement" className="link">
            {showBrl(available)}
          </Link>
          {onAll && available > 0 && (
            <>
              {" "}
              <button type="button" className="act" onClick={() => onAll(available)}>
                {t("newWithdrawal.all")}
              </button>
            </>
          )}
        </>
      )}
    </p>
  );
}
