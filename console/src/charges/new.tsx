import { Button, TextInput } from "@mantine/core";
import { type merchant, parseBrl } from "@pixgate/sdk";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { copy } from "../parts/copy.ts";
import { Failure } from "../parts/feedback.tsx";
import { BigMoney } from "../parts/money.tsx";
import { Panel } from "../parts/panel.tsx";
import { useSession } from "../session/session.tsx";
import { ChargeState } from "./state.tsx";

/** How often the new charge's state is read while its QR code is shown, beside what the stream reports. */
const WATCH_MS = 3_000;

/** A new charge: amount and description, then its QR code, which says by itself when it is paid. */
export function NewCharge({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate } = useSession();
  const queries = useQueryClient();
  const [written, setWritten] = useState(false);
  const create = useMutation({
    mutationFn: (body: merchant.ChargeRequest) => pixgate.charges.create(body),
    onSuccess: () => void queries.invalidateQueries(),
  });
  const close = () => {
    create.reset();
    setWritten(false);
    onClose();
  };
  return (
    <Panel title={t("charges.new")} opened={opened} onClose={close} unsaved={written && create.data === undefined}>
      {create.data === undefined ? (
        <ChargeForm
          busy={create.isPending}
          error={create.error}
          onWrite={() => setWritten(true)}
          onSubmit={(body) => create.mutate(body)}
        />
      ) : (
        <Created charge={create.data} />
      )}
    </Panel>
  );
}

function ChargeForm(props: {
  busy: boolean;
  error: unknown;
  onWrite: () => void;
  onSubmit: (body: merchant.ChargeRequest) => void;
}) {
  const { t } = useTranslation();
  const [wrong, setWrong] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const reference = String(form.get("reference") ?? "").trim();
    try {
      const amount = parseBrl(String(form.get("amount")));
      setWrong(false);
      props.onSubmit({
        amount,
        description: String(form.get("description")).trim(),
        ...(reference !== "" && { externalReference: reference }),
      });
    } catch {
      setWrong(true);
    }
  };
  return (
    <form className="stack" onSubmit={submit} onChange={props.onWrite}>
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
      <TextInput name="description" label={t("newCharge.description")} required maxLength={140} />
      <TextInput name="reference" label={t("newCharge.reference")} maxLength={255} />
      {props.error !== null && <Failure error={props.error} />}
      <Button type="submit" loading={props.busy}>
        {t("newCharge.create")}
      </Button>
    </form>
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
  return (
    <>
      <BigMoney brl={charge.amount} />
      <div aria-live="polite">{query.data && <ChargeState charge={query.data} />}</div>
      {charge.qrCodeBase64 && query.data?.status !== "completed" && (
        <img
          src={charge.qrCodeBase64}
          alt={t("newCharge.qr")}
          width={220}
          height={220}
          style={{ background: "#fff", padding: 12, borderRadius: 7, imageRendering: "pixelated", display: "block" }}
        />
      )}
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
