import { Button, TextInput } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../parts/change.ts";
import { showDocument } from "../parts/document.ts";
import { Facts } from "../parts/facts.tsx";
import { Failure } from "../parts/feedback.tsx";
import { FormPanel, fieldOf } from "../parts/form-panel.tsx";
import { Section } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";

type Charge = merchant.Transaction;

/** The values of the filter by invoice. */
export const INVOICED = ["missing", "recorded"] as const;

/** The invoice of a paid charge, and what an invoice says of its payment. */
export function ChargeInvoice({ charge, fiscal }: { charge: Charge; fiscal: merchant.FiscalFields }) {
  const { t, i18n } = useTranslation();
  const { pixgate, may } = useSession();
  const [opened, setOpened] = useState(false);
  const remove = useChange(() => pixgate.transactions.update(charge.id, { invoice: null }));
  const { invoice } = charge;
  const means: Readonly<Record<string, string>> = { "17": t("invoice.dynamic"), "20": t("invoice.static") };
  const mono = (text: string | undefined) => (text === undefined ? null : <span className="mono">{text}</span>);
  return (
    <Section title={t("invoice.title")}>
      {invoice === undefined && <p className="second">{t("invoice.none")}</p>}
      <Facts
        facts={[
          [t("invoice.number"), invoice?.number],
          [t("invoice.key"), mono(invoice?.key)],
          [t("invoice.recordedAt"), invoice && <Moment key={i18n.language} at={invoice.recordedAt} />],
          [t("invoice.means"), means[fiscal.tPag] ?? fiscal.tPag],
          [t("invoice.authorisation"), mono(charge.e2eId)],
          [t("invoice.institution"), showDocument(fiscal.CNPJ)],
          [t("invoice.receiver"), showDocument(fiscal.CNPJReceb)],
        ]}
      />
      {remove.error && <Failure error={remove.error} />}
      {may("PIX:WRITE") && (
        <div className="acts">
          <Button variant="default" onClick={() => setOpened(true)}>
            {t(invoice ? "invoice.change" : "invoice.record")}
          </Button>
          {invoice && (
            <Button
              variant="default"
              loading={remove.isPending}
              onClick={() => {
                if (window.confirm(t("invoice.removeAsk", { number: invoice.number }))) remove.mutate();
              }}
            >
              {t("invoice.remove")}
            </Button>
          )}
        </div>
      )}
      <RecordInvoice charge={charge} opened={opened} onClose={() => setOpened(false)} />
    </Section>
  );
}

function RecordInvoice({ charge, opened, onClose }: { charge: Charge; opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate } = useSession();
  const read = (form: FormData) => {
    // Printed invoices have the key in groups of four.
    const key = fieldOf(form, "key").replace(/\s/g, "").toUpperCase();
    const number = fieldOf(form, "number");
    return key === "" && number === "" ? null : { ...(key && { key }), ...(number && { number }) };
  };
  return (
    <FormPanel
      title={t(charge.invoice ? "invoice.change" : "invoice.record")}
      opened={opened}
      onClose={onClose}
      read={read}
      save={(invoice) => pixgate.transactions.update(charge.id, { invoice })}
      button={{ text: t("invoice.save") }}
    >
      <TextInput
        name="key"
        label={t("invoice.key")}
        description={t("invoice.keyHow")}
        autoComplete="off"
        maxLength={60}
        data-autofocus
        defaultValue={charge.invoice?.key}
      />
      <TextInput
        name="number"
        label={t("invoice.number")}
        description={t("invoice.numberHow")}
        autoComplete="off"
        maxLength={60}
        defaultValue={charge.invoice?.key ? undefined : charge.invoice?.number}
      />
      <p className="note">{t("invoice.several")}</p>
    </FormPanel>
  );
}
