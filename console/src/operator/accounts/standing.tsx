import { addBrl } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { showBrl } from "../../parts/amount.ts";
import { useSession } from "../../session/session.tsx";
import { Answer } from "../answer.tsx";
import { readAccounts } from "./read.ts";

/** Accounts that are read at once; nothing is said of all where there are more. */
const READ = 100;
/** Between two readings, ms: what one waits for is in the cases. */
const EVERY_MS = 60_000;

/** Whether any account's withdrawals are frozen, and what the accounts have together, for those who may read it. */
export function Standing({ readsMoney }: { readsMoney: boolean }) {
  const { t, i18n } = useTranslation();
  const { operator } = useSession();
  const { data } = useQuery({
    queryKey: ["operator", "accounts", "standing", readsMoney],
    queryFn: () => readAccounts(operator, { limit: READ }, readsMoney),
    refetchInterval: EVERY_MS,
  });
  if (data === undefined || data.items.length === 0) return null;
  const { items, nextCursor } = data;
  const known = items.flatMap(({ balance }) => (balance === undefined ? [] : [balance]));
  const sum = (of: "available" | "held") => addBrl(0, ...known.map((balance) => balance[of]));
  const [available, held] = [sum("available"), sum("held")];
  const parts = { available: showBrl(available), held: showBrl(held) };
  const isWhole = nextCursor === null && known.length === items.length;
  const then = isWhole && t("operator.accounts.standing.parts", parts);
  const frozen = items.filter(({ withdrawalsFrozen }) => withdrawalsFrozen !== undefined).map(({ name }) => name);
  if (frozen.length > 0) {
    const names = new Intl.ListFormat(i18n.language).format(frozen);
    return (
      <Answer shape="failed" then={then}>
        {t("operator.accounts.standing.frozen", { names })}
      </Answer>
    );
  }
  if (nextCursor !== null) {
    return <Answer>{t("operator.accounts.standing.many", { count: items.length })}</Answer>;
  }
  const count = items.length;
  return (
    <Answer then={then}>
      {isWhole
        ? t("operator.accounts.standing.have", { count, sum: showBrl(addBrl(available, held)) })
        : t("operator.accounts.standing.open", { count })}
    </Answer>
  );
}
