import { useState } from "react";
import { useTranslation } from "react-i18next";
import { copy } from "./copy.ts";
import { Icon } from "./icon.tsx";

/** An identifier, whole, with a button beside it that copies it. */
export function Id({ children }: { children: string }) {
  const { t } = useTranslation();
  const [isCopied, put] = useCopy(children);
  const act = isCopied ? t("id.copied") : t("id.copy");
  return (
    <span className="whole-id">
      <span className="mono">{children}</span>
      <button type="button" className="act" aria-label={act} title={act} onClick={put}>
        <Icon name={isCopied ? "check" : "copy"} />
      </button>
    </span>
  );
}

/** Copies a text, and says that it has. `act`: what it copies, where that is not beside it. */
export function CopyAct({ text, act }: { text: string; act?: string }) {
  const { t } = useTranslation();
  const [isCopied, put] = useCopy(text);
  return (
    <button type="button" className="act small" onClick={put}>
      {isCopied ? t("id.copied") : (act ?? t("id.copy"))}
    </button>
  );
}

function useCopy(text: string): readonly [boolean, () => void] {
  const [isCopied, setCopied] = useState(false);
  const put = () => {
    copy(text);
    setCopied(true);
  };
  return [isCopied, put];
}
