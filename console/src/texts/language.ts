import i18next from "i18next";
import { initReactI18next } from "react-i18next";

type Language = "pt-BR" | "en";
const REMEMBERED = "pixgate.language";

/** The person's choice, what this browser chose before, or what it asks for. Portuguese where it asks for neither. */
export function preferredLanguage(chosen: Language | null): Language {
  const remembered = localStorage.getItem(REMEMBERED);
  if (chosen !== null) return chosen;
  if (remembered === "pt-BR" || remembered === "en") return remembered;
  return navigator.languages.find((one) => /^(pt|en)\b/.test(one))?.startsWith("en") ? "en" : "pt-BR";
}

/** Only the texts of one language are loaded; those of the operator's screens when one of these is opened. */
const TEXTS = {
  "pt-BR": { every: () => import("./pt-BR.json"), operator: () => import("./operator.pt-BR.json") },
  en: { every: () => import("./en.json"), operator: () => import("./operator.en.json") },
} as const;
let hasOperatorTexts = false;

/** Loads the texts of the operator's screens, and from then on those of any language that is chosen. */
export async function loadOperatorTexts(language = i18next.language as Language): Promise<void> {
  const operator = (await TEXTS[language].operator()).default;
  i18next.addResourceBundle(language, "translation", { operator }, true, true);
  hasOperatorTexts = true;
}

export async function startTexts(language: Language): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    resources: { [language]: { translation: (await TEXTS[language].every()).default } },
    // React escapes what it shows.
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  document.documentElement.lang = language;
}

export async function switchLanguage(language: Language): Promise<void> {
  if (!i18next.hasResourceBundle(language, "translation")) {
    i18next.addResourceBundle(language, "translation", (await TEXTS[language].every()).default);
    if (hasOperatorTexts) await loadOperatorTexts(language);
  }
  localStorage.setItem(REMEMBERED, language);
  document.documentElement.lang = language;
  await i18next.changeLanguage(language);
}
