import { useState } from "react";
import { useTranslation } from "react-i18next";
import { copy } from "./copy.ts";

/** An identifier, whole, with a button that copies it. */
export function Id({ children }: { children: string }) {
  return (
    <span className="flow">
      <span className="mono">{children}</span>
      <CopyAct text={children} />
    </span>
  );
}

/** Copies a text, and says that it has. `act`: what it copies, where that is not beside it. */
export function CopyAct({ text, act }: { text: string; act?: string }) {
  const { t } = useTranslation();
  const [isCopied, setCopied] = useState(false);
  const put = () => {
    copy(text);
    setCopied(true);
  };
  return (
    <button type="button" className="act small" onClick={put}>
      {isCopied ? t("id.copied") : (act ?? t("id.copy"))}
    </button>
  );
}
