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

/** Copies a text, and says that it has. */
export function CopyAct({ text }: { text: string }) {
  const { t } = useTranslation();
  const [isCopied, setCopied] = useState(false);
  const put = () => {
    copy(text);
    setCopied(true);
  };
  return (
    <button type="button" className="act small" onClick={put}>
      {t(isCopied ? "id.copied" : "id.copy")}
    </button>
  );
}
