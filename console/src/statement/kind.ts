import { useTranslation } from "react-i18next";

/**
 * Why money moved, in words; a kind that a newer gateway has is shown by its name. `of`: the balance whose movements are shown alone.
 * A withdrawal leaves the available one when it is held, and no other line of that balance says that it was paid: there its name is
 * that of what it is for.
 */
export function useKindText(): (kind: string, of?: string) => string {
  const { t, i18n } = useTranslation();
  return (kind, of) =>
    [`kindIn.${of}.${kind}`, `kind.${kind}`].map((key) => (i18n.exists(key) ? t(key) : null)).find((text) => text) ??
    kind;
}
