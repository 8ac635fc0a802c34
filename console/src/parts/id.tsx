import { useState } from "react";
import { useTranslation } from "react-i18next";
import { copy } from "./copy.ts";

/** An identifier, whole, with a button that copies it. */
export function Id({ children }: { children: string }) {
  const { t } = useTranslation();
  const [isCopied, setCopied] = useState(false);
  const put = () => {
    copy(children);
    setCopied(true);
  };
  return (
    <span className="flow">
      <span className="mono">{children}</span>
      <button type="button" className="act small" onClick={put}>
        {t(isCopied ? "id.copied" : "id.copy")}
      </button>
    </span>
  );
}
