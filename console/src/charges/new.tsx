import { Button, TextInput } from "@mantine/core";
import { type merchant, parseBrl } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { copy } from "../parts/copy.ts";
import { readDocument } from "../parts/document.ts";
import { useAddress } from "../parts/filters.tsx";
import { FormPanel, fieldOf } from "../parts/form-panel.tsx";
import { BigMoney } from "../parts/money.tsx";
import { More } from "../parts/more.tsx";
import { NativeSelect } from "../parts/select.ts";
import { useSession } from "../session/session.tsx";
import { Code } from "./code.tsx";
import { DueFields, readDue } from "./due.tsx";
import { DueCalendar } from "./due-calendar.tsx";
import { idNamed, useMade } from "./made-by-chip.tsx";
import { ChargeState } from "./state.tsx";

/** Seconds. */
const A_DAY = 86_400;
/** How long it can be paid, seconds. */
const EXPIRES = [
  ["quarter", 900],
  ["hour", 3_600],
  ["day", A_DAY],
  ["threeDays", 3 * A_DAY],
  ["week", 7 * A_DAY],
] as const;

/** How often the new charge's state is read while its QR code is shown, beside what the stream reports. */
const WATCH_MS = 3_000;

/** The amount and due date as they are being typed, for the calendar; null while they are not whole. */
function useTypedDue() {
  const [typed, setTyped] = useState<{ amount: number; due: merchant.Due } | null>(null);
  const [hasDate, setHasDate] = useState(false);
  const watch = ({ currentTarget }: FormEvent<HTMLElement>) => {
    const data = new FormData(currentTarget.closest("form") ?? undefined);
    setHasDate(fieldOf(data, "dueDate") !== "");
    try {
      const due = readDue(data);
      setTyped(due === undefined ? null : { amount: parseBrl(fieldOf(data, "amount")), due });
    } catch {
      setTyped(null);
    }
  };
  const forget = () => {
    setTyped(null);
    setHasDate(false);
  };
  return { typed, hasDate, watch, forget };
}

/** A new charge: amount, description, who is to pay and until when, then its QR code, which says by itself when it is paid. */
export function NewCharge({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate } = useSession();
  const [wrong, setWrong] = useState(false);
  const { typed, hasDate, watch, forget } = useTypedDue();
  // As the list behind shows those of a project, the new one is of it too.
  const projectId = idNamed(useAddress().get("project"));
  const project = useMade("project", projectId);
  const read = (form: FormData): merchant.ChargeRequest | null => {
    const [reference, name] = [fieldOf(form, "reference"), fieldOf(form, "payerName")];
    const { document } = readDocument(fieldOf(form, "payerDocument"));
    const customer = { ...(name !== "" && { name }), ...(document !== "" && { document }) };
    try {
      const amount = parseBrl(fieldOf(form, "amount"));
      const due = readDue(form);
      setWrong(false);
      return {
        amount,
        description: fieldOf(form, "description"),
        ...(reference !== "" && { externalReference: reference }),
        ...(Object.keys(customer).length > 0 && { customer }),
        ...(projectId !== undefined && { projectId }),
        ...(due === undefined ? { expiresIn: Number(fieldOf(form, "expiresIn")) } : { due }),
      };
    } catch {
      setWrong(true);
      return null;
    }
  };
  const close = () => {
    setWrong(false);
    forget();
    onClose();
  };
  return (
    <FormPanel
      title={t("charges.new")}
      opened={opened}
      onClose={close}
      read={read}
      save={(body, once) => pixgate.charges.create(body, once)}
      saved={(charge) => <Created charge={charge} />}
      button={{ text: t("newCharge.create") }}
    >
      <Fields wrong={wrong} hasDate={hasDate} watch={watch} />
      {typed && <DueCalendar of={typed} />}
      {projectId && <p className="small second">{t("newCharge.inProject", { name: project?.name ?? "…" })}</p>}
    </FormPanel>
  );
}

type FieldsProps = { wrong: boolean; hasDate: boolean; watch: (event: FormEvent<HTMLElement>) => void };

/** The form's fields, watched for the calendar. */
function Fields({ wrong, hasDate, watch }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <div className="stack" onChange={watch}>
      <TextInput
        name="amount"
        label={t("newCharge.amount")}
        placeholder="0,00"
        leftSection="R$"
        inputMode="decimal"
        required
        data-autofocus
        error={wrong && t("newCharge.amountWrong")}
      />
      <TextInput
        name="description"
        label={t("newCharge.description")}
        description={t("newCharge.descriptionMeans")}
        required
        maxLength={140}
      />
      <TextInput name="reference" label={t("newCharge.reference")} maxLength={255} />
      {!hasDate && (
        <NativeSelect
          name="expiresIn"
          label={t("newCharge.expires")}
          defaultValue={String(A_DAY)}
          data={EXPIRES.map(([text, seconds]) => ({ value: String(seconds), label: t(`newCharge.${text}`) }))}
        />
      )}
      <More label={t("newCharge.more")}>
        <TextInput name="payerName" label={t("newCharge.payerName")} maxLength={200} />
        <TextInput name="payerDocument" label={t("newCharge.payerDocument")} maxLength={18} />
        <DueFields hasDate={hasDate} />
      </More>
    </div>
  );
}

function Created({ charge }: { charge: merchant.Charge }) {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const query = useQuery({
    queryKey: [...scope, "charge", charge.id],
    queryFn: () => pixgate.transactions.get(charge.id),
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? WATCH_MS : false),
  });
  const now = query.data ?? { status: charge.status };
  return (
    <>
      <BigMoney brl={charge.amount} />
      <div aria-live="polite">
        <ChargeState charge={now} />
      </div>
      {charge.qrCodeBase64 && <Code image={charge.qrCodeBase64} status={now.status} />}
      <Button variant="default" onClick={() => copy(charge.pixCopyPaste)}>
        {t("charge.copyPix")}
      </Button>
      <p>
        <Link href={`/charges/${charge.id}`} className="act">
          {t("newCharge.open")}
        </Link>
      </p>
    </>
  );
}
