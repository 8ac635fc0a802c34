import { Button, TextInput } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../parts/change.ts";
import { Failure } from "../parts/feedback.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { receiverOf } from "./received.ts";

/** Longest reason that the API takes, characters. */
const LONGEST = 255;

/** Of a withdrawal that was paid to another name: whether that was meant, which is answered once; of a wrong receiver, what can be done. */
export function ReceiverQuestion({ withdrawal }: { withdrawal: merchant.Withdrawal }) {
  const { t } = useTranslation();
  const { may, session } = useSession();
  const [answer, setAnswer] = useState<boolean | null>(null);
  const receiver = receiverOf(withdrawal);
  if (receiver === "wrong") return <p className="note">{t("withdrawals.otherNameNext")}</p>;
  if (receiver === "meant" && may("WITHDRAWAL:WRITE")) {
    const { byRequester, checkedBy } = withdrawal.receiverCheck ?? {};
    // What turns out later has its place, and somebody else than whoever asked may confirm it.
    return answer === null ? (
      <div className="acts">
        {byRequester && checkedBy !== session.person.id && (
          <button type="button" className="act" onClick={() => setAnswer(true)}>
            {t("withdrawals.meant")}
          </button>
        )}
        <button type="button" className="act" onClick={() => setAnswer(false)}>
          {t("withdrawals.afterAll")}
        </button>
      </div>
    ) : (
      <SayReceiver id={withdrawal.id} isMeant={answer} onBack={() => setAnswer(null)} />
    );
  }
  if (receiver !== "unchecked") return null;
  return (
    <section className="stack">
      <h3 className="small">{t("withdrawals.ask", { name: withdrawal.receiverName })}</h3>
      {!may("WITHDRAWAL:WRITE") ? (
        <p className="small second">{t("withdrawals.askOther")}</p>
      ) : answer === null ? (
        <div className="acts">
          <Button variant="default" onClick={() => setAnswer(true)}>
            {t("withdrawals.meant")}
          </Button>
          <Button variant="default" onClick={() => setAnswer(false)}>
            {t("withdrawals.notMeant")}
          </Button>
        </div>
      ) : (
        <SayReceiver id={withdrawal.id} isMeant={answer} onBack={() => setAnswer(null)} />
      )}
    </section>
  );
}

/** The reason of an answer, and the button that stores it. */
function SayReceiver({ id, isMeant, onBack }: { id: string; isMeant: boolean; onBack: () => void }) {
  const { t } = useTranslation();
  const { pixgate } = useSession();
  const [reason, setReason] = useState("");
  const say = useChange((body: merchant.ReceiverCheckRequest) => pixgate.withdrawals.checkReceiver(id, body));
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    say.mutate({ expected: isMeant, ...(reason.trim() !== "" && { reason: reason.trim() }) });
  };
  return (
    <form className="stack" onSubmit={save}>
      <p className="note">
        {!isMeant && `${t("withdrawals.otherNameNext")} `}
        {t("withdrawals.askText")}
      </p>
      <TextInput
        label={t("withdrawals.whyReceiver")}
        maxLength={LONGEST}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        data-autofocus
      />
      {say.error && <Failure error={say.error} />}
      <div className="acts">
        <Button variant="default" onClick={onBack}>
          {t("sure.not")}
        </Button>
        <Button type="submit" loading={say.isPending}>
          {t(isMeant ? "withdrawals.saveMeant" : "withdrawals.saveNotMeant")}
        </Button>
      </div>
    </form>
  );
}

/** What the account said of a receiver: who, when and why. */
export function ReceiverSaid({ check }: { check: merchant.ReceiverCheck }) {
  const { t } = useTranslation();
  return (
    <>
      {t(
        !check.expected
          ? "withdrawals.saidNotMeant"
          : check.byRequester
            ? "withdrawals.saidByRequester"
            : "withdrawals.saidMeant",
      )}
      <div className="small quiet">
        {check.checkedByName && `${check.checkedByName} · `}
        <Moment at={check.checkedAt} />
      </div>
      {check.reason !== undefined && (
        <div className="small second">
          <FreeText>{check.reason}</FreeText>
        </div>
      )}
    </>
  );
}
