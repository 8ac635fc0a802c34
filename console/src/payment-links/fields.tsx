import "@mantine/core/styles/Checkbox.css";
import "@mantine/core/styles/InlineInput.css";
import { Checkbox, TextInput } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { NativeSelect } from "../parts/select.ts";

type LinkField = NonNullable<merchant.PaymentLinkRequest["fields"]>[number];
const TYPES = ["text", "email", "document", "phone"] as const;
/** As many as a link takes. */
const MOST = 10;

/** A field that is being written; `key` tells it from the others. */
export type TypedField = Omit<LinkField, "name"> & { readonly key: number };

/** Fields as they are sent. Their names are counted: people read the label, and programs find the order. */
export const namedFields = (fields: readonly TypedField[]): LinkField[] =>
  fields.map(({ label, required, type }, i) => ({ name: `field${i + 1}`, label: label.trim(), required, type }));

/** What a payer fills in. */
export function Fields(props: { fields: readonly TypedField[]; onChange: (fields: readonly TypedField[]) => void }) {
  const { t } = useTranslation();
  const { fields, onChange } = props;
  const write = (key: number, part: Partial<TypedField>) =>
    onChange(fields.map((field) => (field.key === key ? { ...field, ...part } : field)));
  const add = () => {
    const key = Math.max(0, ...fields.map((field) => field.key)) + 1;
    onChange([...fields, { key, label: "", required: true, type: "text" }]);
  };
  return (
    <>
      {fields.map(({ key, label, required, type }, i) => (
        <div key={key} className="stack">
          <TextInput
            label={t("paymentLinks.field", { number: i + 1 })}
            required
            maxLength={60}
            value={label}
            onChange={({ currentTarget }) => write(key, { label: currentTarget.value })}
          />
          <NativeSelect
            label={t("paymentLinks.fieldType", { number: i + 1 })}
            data={TYPES.map((value) => ({ value, label: t(`paymentLinks.fieldTypes.${value}`) }))}
            value={type}
            onChange={({ currentTarget }) => write(key, { type: currentTarget.value as LinkField["type"] })}
          />
          <Checkbox
            label={t("paymentLinks.fieldRequired", { number: i + 1 })}
            checked={required}
            onChange={({ currentTarget }) => write(key, { required: currentTarget.checked })}
          />
          <div>
            <button type="button" className="act" onClick={() => onChange(fields.filter((field) => field.key !== key))}>
              {t("paymentLinks.removeField", { number: i + 1 })}
            </button>
          </div>
        </div>
      ))}
      {fields.length < MOST && (
        <div>
          <button type="button" className="act" onClick={add}>
            {t("paymentLinks.addField")}
          </button>
        </div>
      )}
    </>
  );
}
