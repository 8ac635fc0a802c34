import { Button, TextInput } from "@mantine/core";
import { addBrl } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { showBrl } from "../../parts/amount.ts";
import { Read } from "../../parts/feedback.tsx";
import { FormPanel } from "../../parts/form-panel.tsx";
import { useSession } from "../../session/session.tsx";
import { useWaitsAlways } from "../deciding.ts";
import { useNames } from "../reads.ts";

/** Withdrawals that are read to count what waits. */
const COUNTED = 100;

/** Lets the account's withdrawals go on, with a reason that stays: says first what waits, and who must agree. */
export function Lift({ accountId }: { accountId: string }) {
  const { t } = useTranslation();
  const { operator } = useSession();
  const name = useNames()(accountId);
  const [opened, setOpened] = useState(false);
  const [reason, setReason] = useState("");
  // Null: during an upgrade it is not known, and neither is promised.
  const waits = useWaitsAlways();
  const close = () => {
    setReason("");
    setOpened(false);
  };
  return (
    <>
      <Button mt="sm" variant="default" onClick={() => setOpened(true)}>
        {t("operator.books.lift", { name })}
      </Button>
      <FormPanel
        title={t("operator.books.liftTitle", { name })}
        opened={opened}
        onClose={close}
        read={() => ({ reason: reason.trim() })}
        save={(body, once) => operator.accounts.liftFreeze(accountId, body, once)}
        button={{
          text: t(waits ? "operator.books.liftAsk" : "operator.books.liftSure"),
          disabled: reason.trim() === "",
          color: "red",
        }}
      >
        <Queued accountId={accountId} />
        <p className="note">
          {t("operator.books.liftKeeps")}{" "}
          {waits === null
            ? t("operator.deciding.unknown")
            : t(waits ? "operator.books.liftWaits" : "operator.books.liftText")}
        </p>
        <TextInput
          label={t("operator.books.liftReason")}
          required
          maxLength={255}
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
      </FormPanel>
    </>
  );
}

/** What of the account waits to leave. */
function Queued({ accountId }: { accountId: string }) {
  const { t } = useTranslation();
  const { operator } = useSession();
  const query = useQuery({
    queryKey: ["operator", "queued", accountId],
    queryFn: () => operator.withdrawals.list({ accountId, status: "pending", limit: COUNTED }).page(),
  });
  return (
    <Read query={query} lines={1}>
      {({ items, nextCursor }) => (
        <p>
          {nextCursor === null
            ? t("operator.books.queued", {
                count: items.length,
                sum: showBrl(addBrl(0, ...items.map(({ amount }) => amount))),
              })
            : t("operator.books.manyQueued", { count: COUNTED })}
        </p>
      )}
    </Read>
  );
}
