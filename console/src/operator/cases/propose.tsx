import "@mantine/core/styles/InlineInput.css";
import "@mantine/core/styles/Radio.css";
import { Button, Radio, TextInput } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { showBrl } from "../../parts/amount.ts";
import { useChange } from "../../parts/change.ts";
import { Failure, Read } from "../../parts/feedback.tsx";
import { Section } from "../../parts/page.tsx";
import { NativeSelect } from "../../parts/select.ts";
import { useTypedAmount } from "../../parts/typed-amount.tsx";
import { useSession } from "../../session/session.tsx";
import { isAlone, useDeciding, useDecidingText } from "../deciding.ts";
import { wordOf } from "../words.ts";

type Whole = operator.CaseWithHistory;

/** Which kinds of the operator's own money an action may book, by the kind of case. */
const TREASURY: Readonly<Record<string, readonly string[]>> = {
  unmatched_receipt: ["top_up", "interbank"],
  reconciliation_difference: ["sweep", "tariff", "interbank"],
  balance_drift: ["top_up", "sweep", "tariff"],
};

/** Actions that leave all money where it is. */
const MOVE_NOTHING: readonly string[] = ["acknowledge", "discard", "expire_charge", "finish"];

/** An action with the amount that it moves. */
const whatOf = (action: string, brl: number | undefined): string =>
  [wordOf("action", action), brl === undefined ? "" : showBrl(Math.abs(brl))].filter((part) => part !== "").join(", ");

/** Proposes one of the case's actions, with what it needs. */
export function Propose({ about, mayDecide }: { about: Whole; mayDecide: boolean }) {
  const { t } = useTranslation();
  const { operator } = useSession();
  const [action, setAction] = useState<string | null>(null);
  const propose = useChange((parameters: Record<string, unknown>) =>
    operator.cases.propose(about.id, { action: action ?? "", parameters }),
  );
  const deciding = useDeciding();
  const mayBeNow = action !== null && isAlone(deciding, about.amount);
  const moved = action === null || MOVE_NOTHING.includes(action) ? undefined : about.amount;
  // Nobody else reads it then: a large amount is typed, as where it leaves a balance.
  const typed = useTypedAmount(mayBeNow && moved !== undefined ? Math.abs(moved) : null);
  if (about.actions.length === 0) {
    return (
      <Section title={t("operator.decision.what")}>
        <p className="pad-top">{wordOf("noAction", about.kind)}</p>
      </Section>
    );
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    propose.mutate(parametersOf(new FormData(event.currentTarget), about, action));
  };
  return (
    <Section title={t("operator.decision.what")}>
      <form className="stack pad-top" onSubmit={submit}>
        <Radio.Group name="action" value={action} onChange={setAction} aria-label={t("operator.decision.what")}>
          {about.actions.map(({ action: name, says }) => (
            <Radio
              key={name}
              value={name}
              mb="sm"
              disabled={!mayDecide}
              label={wordOf("action", name)}
              description={wordOf("actionText", name) === name ? says : wordOf("actionText", name)}
            />
          ))}
        </Radio.Group>
        {action !== null && <Fields about={about} action={action} />}
        {!mayDecide && <p className="note">{t("operator.decision.mayNot")}</p>}
        {mayDecide && action !== null && <WhatNext />}
        {typed.field}
        {propose.error && <Failure error={propose.error} />}
        <div className="acts stuck">
          <Button
            type="submit"
            disabled={action === null || !mayDecide || !typed.confirmed}
            loading={propose.isPending}
          >
            {action === null
              ? t("operator.decision.choose")
              : t(`operator.decision.press.${deciding?.who ?? "unknown"}`, { what: whatOf(action, moved) })}
          </Button>
        </div>
      </form>
    </Section>
  );
}

/** Whether it happens at once or waits for another person. */
function WhatNext() {
  return <p className="note">{useDecidingText()}</p>;
}

function Fields({ about, action }: { about: Whole; action: string }) {
  const { t } = useTranslation();
  if (action === "assign") return <Suggestions id={about.objectId} />;
  const isOfReturn = about.kind.startsWith("return_");
  if (action === "force_completed" && !isOfReturn)
    return <TextInput name="e2eId" label={wordOf("parameter", "e2eId")} pattern="[A-Za-z0-9]{1,35}" maw={420} />;
  if (["force_failed", "acknowledge", "expire_charge", "confirm", "finish"].includes(action))
    return <TextInput name="reason" label={wordOf("parameter", "reason")} required maxLength={255} />;
  if (action === "adopt")
    return (
      <>
        <TextInput name="subAccount" label={wordOf("parameter", "subAccount")} maxLength={64} />
        <TextInput name="externalReference" label={wordOf("parameter", "externalReference")} maxLength={255} />
      </>
    );
  if (isOfReturn || (action !== "treasury" && action !== "book_difference" && action !== "write_off")) return null;
  return (
    <>
      {action !== "write_off" && (
        <NativeSelect
          name="kind"
          label={wordOf("parameter", "kind")}
          data={(TREASURY[about.kind] ?? []).map((value) => ({ value, label: wordOf("movement", value) }))}
        />
      )}
      {about.kind !== "wallet_debt" && (
        <TextInput name="reference" label={wordOf("parameter", "reference")} maxLength={100} />
      )}
      <TextInput name="description" label={t("operator.treasury.description")} maxLength={255} />
    </>
  );
}

/** The charges that a receipt may be meant for. */
function Suggestions({ id }: { id: string }) {
  const { t } = useTranslation();
  const { operator } = useSession();
  const query = useQuery({ queryKey: ["operator", "unmatched", id], queryFn: () => operator.unmatched.get(id) });
  return (
    <Read query={query} lines={2}>
      {({ suggestions }) =>
        suggestions.length === 0 ? (
          <>
            <p className="note">{t("operator.decision.noSuggestion")}</p>
            <TextInput name="accountId" label={wordOf("parameter", "accountId")} required />
            <TextInput name="chargeId" label={wordOf("parameter", "chargeId")} required />
          </>
        ) : (
          <NativeSelect
            name="charge"
            label={t("operator.decision.charge")}
            data={suggestions.map(({ accountId, chargeId, accountName, amount, externalReference, samePayer }) => ({
              value: `${accountId} ${chargeId}`,
              label: [
                accountName,
                showBrl(amount),
                externalReference ?? chargeId,
                samePayer ? t("operator.decision.samePayer") : "",
              ]
                .filter((part) => part !== "")
                .join(" · "),
            }))}
          />
        )
      }
    </Read>
  );
}

function parametersOf(form: FormData, about: Whole, action: string | null): Record<string, unknown> {
  const parameters: Record<string, unknown> = {};
  // The choice is the proposal's action, not one of its parameters.
  form.delete("action");
  for (const [name, value] of form)
    if (typeof value === "string" && value.trim() !== "") parameters[name] = value.trim();
  if (typeof parameters.charge === "string") {
    const [accountId, chargeId] = parameters.charge.split(" ");
    return { accountId, chargeId };
  }
  // The difference, or the debt, as it was shown: the gateway refuses where it is another one by then.
  const isOfDifference =
    action === "book_difference" ||
    (action === "write_off" && (about.kind === "balance_drift" || about.kind === "wallet_debt"));
  if (isOfDifference && about.amount !== undefined) parameters.amount = Math.abs(about.amount);
  return parameters;
}
