import { useTranslation } from "react-i18next";

/** Why money moved, in words; a kind that a newer gateway has is shown by its name. */
export function useKindText(): (kind: string) => string {
  const { t, i18n } = useTranslation();
  return (kind) => (i18n.exists(`kind.${kind}`) ? t(`kind.${kind}`) : kind);
}
