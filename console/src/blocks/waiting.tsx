import { Button } from "@mantine/core";
import { addBrl, type merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { waitingBlocks } from "../app/waiting.tsx";
import { showBrl } from "../parts/amount.ts";
import { FreeText } from "../parts/free-text.tsx";
import { showDayTime } from "../parts/instant.ts";
import { Mark } from "../parts/state.tsx";
import { useSession } from "../session/session.tsx";
import "./waiting.css";

/** What waits for a defence; undefined until it is read, and for whoever may not read it. */
export function useWaitingBlocks(): readonly merchant.BalanceBlock[] | undefined {
  return useQuery(waitingBlocks(useSession())).data ?? undefined;
}

/** Above the list: which disputes wait for a defence, how much they hold, and until when the first can be answered. */
export function Waiting() {
  const { t, i18n } = useTranslation();
  const { may } = useSession();
  const items = useWaitingBlocks();
  if (items === undefined) return <div className="waiting" />;
  const [first] = items.toSorted((a, b) => (a.respondBy ?? "9").localeCompare(b.respondBy ?? "9"));
  if (first === undefined) return <p className="waiting second">{t("blocks.noneWaits")}</p>;
  const amount = showBrl(addBrl(...items.map((one) => one.amount)));
  const until = first.respondBy === undefined ? null : showDayTime(new Date(first.respondBy), i18n.language);
  return (
    <div className="waiting">
      <Mark shape="needs" />
      <p>
        <span className="heavy">
          {t("blocks.waiting", { count: items.length, amount })}
          {until && ` ${t("blocks.firstUntil", { count: items.length, when: until })}`}
        </span>
        {first.reason && (
          <span className="label block">
            <FreeText>{first.reason}</FreeText>
          </span>
        )}
      </p>
      {may("BALANCE_BLOCK:WRITE") && (
        <Button component={Link} href={`/blocks/${first.id}`} className="at-end thumb-act">
          {t("blocks.write")}
        </Button>
      )}
    </div>
  );
}
