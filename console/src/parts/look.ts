import { useMantineColorScheme } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useTranslation } from "react-i18next";
import { switchLanguage } from "../texts/language.ts";

/** What a person may choose for all screens: the language, and light or dark colours; each with the name of the other one. */
export function useLook() {
  const { t, i18n } = useTranslation();
  const { setColorScheme } = useMantineColorScheme();
  const isSystemDark = useMediaQuery("(prefers-color-scheme: dark)") ?? false;
  const isDark = document.documentElement.dataset.mantineColorScheme === "dark";
  const isEnglish = i18n.language === "en";
  return {
    language: isEnglish ? "English" : "Português",
    otherLanguage: isEnglish ? "Português" : "English",
    changeLanguage: () => void switchLanguage(isEnglish ? "pt-BR" : "en"),
    otherColours: t(isDark ? "shell.light" : "shell.dark"),
    changeColours: () => setColorScheme(isDark === isSystemDark ? (isDark ? "light" : "dark") : "auto"),
  };
}
