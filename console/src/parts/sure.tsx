import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Failure } from "./feedback.tsx";

type AskProps = {
  /** What happens, and what cannot be undone. */
  readonly note: ReactNode;
  /** On the button that does it: the verb, and what it is about. */
  readonly sure: string;
  readonly onAnswer: (isSure: boolean) => void;
};

/** The pressed button is gone: the focus is on the one that changes nothing. */
const focus = (button: HTMLButtonElement | null) => button?.focus();

/** What a press does, with the button that does it and the one that leaves it. */
export function AskIfSure({ note, sure, onAnswer }: AskProps) {
  const { t } = useTranslation();
  return (
    <div className="stack">
      <p className="note">{note}</p>
      <div className="acts">
        <Button variant="default" ref={focus} onClick={() => onAnswer(false)}>
          {t("sure.not")}
        </Button>
        <Button color="red" onClick={() => onAnswer(true)}>
          {sure}
        </Button>
      </div>
    </div>
  );
}

type Change = { readonly isPending: boolean; readonly error: Error | null; readonly mutate: () => void };

/** A button for what takes something away: pressed, it asks first. `text` is on it before. */
export function SureButton({ text, change, ...ask }: Omit<AskProps, "onAnswer"> & { text: string; change: Change }) {
  const [asked, setAsked] = useState(false);
  const answer = (isSure: boolean) => {
    setAsked(false);
    if (isSure) change.mutate();
  };
  if (asked) return <AskIfSure {...ask} onAnswer={answer} />;
  return (
    <>
      {change.error && <Failure error={change.error} />}
      <div className="acts">
        <Button color="red" variant="outline" loading={change.isPending} onClick={() => setAsked(true)}>
          {text}
        </Button>
      </div>
    </>
  );
}
