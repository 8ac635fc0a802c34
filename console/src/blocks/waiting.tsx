import { Button } from "@mantine/core";
import { addBrl, type merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { waitingBlocks } from "../app/waiting.tsx";
import { showBrl } from "../parts/amount.ts";
import { useHasPassed } from "../parts/has-passed.ts";
import { showDayTime } from "../parts/instant.ts";
import { Waits } from "../parts/waits.tsx";
import { useSession } from "../session/session.tsx";

/** Most time that the list below keeps its place for the sentence, ms. */
const MOST_WAIT_MS = 1_500;

/** What waits for a defence; undefined until it is read, and for whoever may not read it. */
export function useWaitingBlocks(): readonly merchant.BalanceBlock[] | undefined {
  return useQuery(waitingBlocks(useSession())).data ?? undefined;
}

/** Above the list: which disputes wait for a defence, how much they hold, until when the first can be answered, and what happens if not. */
export function Waiting() {
  const { t, i18n } = useTranslation();
  const { may } = useSession();
  const { data: items, isPending } = useQuery(waitingBlocks(useSession()));
  const hasWaited = useHasPassed(MOST_WAIT_MS);
  if (!items)
    return <div className={isPending && !hasWaited ? "waits at-least-a-line to-come" : "waits at-least-a-line"} />;
  const [first] = items.toSorted((a, b) => (a.respondBy ?? "9").localeCompare(b.respondBy ?? "9"));
  if (first === undefined) return <p className="waits at-least-a-line second">{t("blocks.noneWaits")}</p>;
  const amount = showBrl(addBrl(...items.map((one) => one.amount)));
  const until = first.respondBy === undefined ? null : showDayTime(new Date(first.respondBy), i18n.language);
  return (
    <Waits
      below={items.some(({ blockType }) => blockType === "med") && t("blocks.unanswered")}
      act={
        may("BALANCE_BLOCK:WRITE") && (
          <Button component={Link} href={`/blocks/${first.id}`} className="at-end thumb-act">
            {t("blocks.write")}
          </Button>
        )
      }
    >
      {t("blocks.waiting", { count: items.length, amount })}
      {until && ` ${t("blocks.firstUntil", { count: items.length, when: until })}`}
    </Waits>
  );
}
