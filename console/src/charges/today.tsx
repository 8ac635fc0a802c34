import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl } from "../parts/amount.ts";
import { unlessForbidden } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";

/**
 * Above the charges: what came in today, by the statement, as a charge of yesterday may have been paid today; and of today's charges
 * how many are paid. Its line is always there.
 */
export function Today() {
  const { t } = useTranslation();
  const { together, scope } = useSession();
  const { data } = useQuery({
    queryKey: [...scope, "charges", "today"],
    queryFn: () => unlessForbidden(together.account.summary()),
  });
  return (
    <p className="today second num">
      {data && (
        <>
          {t("today.title")}{" "}
          <Link href="/statement?period=today">
            {data.received.count === 0
              ? t("today.none")
              : t("today.received", { count: data.received.count, amount: showBrl(data.received.amount) })}
          </Link>
          {data.charges.created > 0 && (
            <span className="wide-only">
              {" · "}
              <Link href="/charges?created=today">
                {t("today.paid", { count: data.charges.created, paid: data.charges.paid })}
              </Link>
            </span>
          )}
        </>
      )}
    </p>
  );
}
