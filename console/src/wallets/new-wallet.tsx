import { Button, TextInput } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Failure } from "../parts/feedback.tsx";
import { Panel } from "../parts/panel.tsx";
import { useSession } from "../session/session.tsx";

/** A new wallet: its reference is never changed. */
export function NewWallet({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate } = useSession();
  const queries = useQueryClient();
  const [written, setWritten] = useState(false);
  const close = () => {
    create.reset();
    setWritten(false);
    onClose();
  };
  const create = useMutation({
    mutationFn: (body: merchant.SubAccountRequest) => pixgate.subAccounts.create(body),
    onSuccess: () => {
      close();
      return queries.invalidateQueries();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const name = String(form.get("name")).trim();
    create.mutate({ reference: String(form.get("reference")).trim(), ...(name !== "" && { name }) });
  };
  return (
    <Panel title={t("wallets.new")} opened={opened} onClose={close} unsaved={written}>
      <form className="stack" onSubmit={submit} onChange={() => setWritten(true)}>
        <TextInput name="name" label={t("wallets.name")} maxLength={255} data-autofocus />
        <TextInput
          name="reference"
          label={t("charges.column.reference")}
          description={t("wallets.referenceHelp")}
          required
          pattern="[a-z0-9][a-z0-9_\-]{1,31}"
          maxLength={32}
        />
        <p className="note">{t("wallets.newText")}</p>
        {create.error && <Failure error={create.error} />}
        <Button type="submit" loading={create.isPending}>
          {t("wallets.open")}
        </Button>
      </form>
    </Panel>
  );
}
