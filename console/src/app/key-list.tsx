import "../parts/over.ts";
import { Modal } from "@mantine/core";
import { useTranslation } from "react-i18next";

/** What `?` lists: keys, and the key of their text. */
const KEYS = [
  ["Ctrl K  /", "keys.search"],
  ["G I · C · E · S", "keys.go"],
  ["J  K", "keys.move"],
  ["Enter", "keys.open"],
  [".", "keys.fresh"],
  ["F", "keys.filter"],
  ["N", "keys.new"],
  ["Esc", "keys.close"],
  ["?", "keys.list"],
] as const;

/** The keys, and what each does. */
export default function KeyList({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t("keys.title")}
      closeButtonProps={{ "aria-label": t("panel.close") }}
      transitionProps={{ duration: 120 }}
    >
      <dl className="facts no-margin">
        {KEYS.map(([keys, text]) => (
          <div key={text}>
            <dt className="mono">{keys}</dt>
            <dd>{t(text)}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
