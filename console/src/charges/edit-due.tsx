import type { merchant } from "@pixgate/sdk";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { FormPanel } from "../parts/form-panel.tsx";
import { useSession } from "../session/session.tsx";
import { DueFields, keptOf, readDue } from "./due.tsx";
import { DueCalendar } from "./due-calendar.tsx";

/** Other terms for a pending charge, with what it would cost then. */
export function EditDue(props: {
  charge: merchant.Transaction;
  due: merchant.Due;
  opened: boolean;
  onClose: () => void;
}) {
  const { charge, due, opened } = props;
  const { t } = useTranslation();
  const { pixgate } = useSession();
  const [typed, setTyped] = useState<merchant.Due | null>(null);
  const kept = keptOf(due);
  const read = (form: FormData): merchant.Due | null => {
    try {
      return readDue(form, kept) ?? null;
    } catch {
      return null;
    }
  };
  const watch = ({ currentTarget }: FormEvent<HTMLElement>) => {
    const form = currentTarget.closest("form");
    setTyped(form && read(new FormData(form)));
  };
  const close = () => {
    setTyped(null);
    props.onClose();
  };
  return (
    <FormPanel
      title={t("due.edit")}
      opened={opened}
      onClose={close}
      read={read}
      save={(to) => pixgate.charges.update(charge.id, { due: to })}
      button={{ text: t("due.save") }}
    >
      <p className="note">{t("due.editMeans")}</p>
      <div className="stack" onChange={watch}>
        <DueFields due={due} hasDate />
      </div>
      {Object.keys(kept).length > 0 && <p className="small quiet">{t("due.kept")}</p>}
      <DueCalendar of={{ transactionId: charge.id, due: typed ?? due }} />
    </FormPanel>
  );
}
