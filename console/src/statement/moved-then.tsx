import type { merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { sayComponents } from "../parts/amount.ts";
import { Read } from "../parts/feedback.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { Money } from "../parts/money.tsx";
import { useSession } from "../session/session.tsx";
import { OtherWallet } from "../wallets/other-wallet.tsx";
import { Cause } from "./cause.tsx";
import { causeOf, isSent, KindText, LinesOf, PartsOf } from "./movement.tsx";
import { type Movement, movementsOf } from "./movements.ts";

/** The instant after one: bookings are told apart to the millisecond. */
export const justAfter = (at: string): string => new Date(Date.parse(at) + 1).toISOString();

/** What moved a balance at an instant, down to each line: above what the balance was then. A phone's rows have no place for it. */
export function MovedThen({ at, balance }: { at: string; balance: merchant.StatementItem["balance"] }) {
  const { pixgate, scope } = useSession();
  const query = useQuery({
    queryKey: [...scope, "statement", "at", at, balance],
    queryFn: () => pixgate.statement.list({ from: at, to: justAfter(at), balance }).page(),
  });
  return (
    <Read query={query} lines={3}>
      {({ items }) => movementsOf(items, true).map((one) => <Moved key={one.newest.line} movement={one} />)}
    </Read>
  );
}

function Moved({ movement: { main, lines, amount } }: { movement: Movement }) {
  const { t } = useTranslation();
  const cause = causeOf(main);
  const came = sayComponents(main.components, t);
  return (
    <section className="movement moved-then">
      <p className="moved-amount">
        <KindText line={main} isGrouped />
        <Money brl={amount} movement />
      </p>
      <p className="label">
        {cause !== null && (
          <Cause line={main}>
            <FreeText>{cause}</FreeText>
          </Cause>
        )}
        <OtherWallet of={main} before={cause === null ? "" : " · "} />
      </p>
      {came !== "" && <p className="label">{came}</p>}
      {lines.length > 1 && <LinesOf lines={lines} />}
      {isSent(main) && <PartsOf line={main} />}
    </section>
  );
}
