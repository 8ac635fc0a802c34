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

/** Only the texts of one language are loaded. */
async function textsOf(language: Language): Promise<object> {
  const [merchant, operator] =
    language === "en"
      ? await Promise.all([import("./en.json"), import("./operator.en.json")])
      : await Promise.all([import("./pt-BR.json"), import("./operator.pt-BR.json")]);
  return { ...merchant.default, operator: operator.default };
}

export async function startTexts(language: Language): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    resources: { [language]: { translation: await textsOf(language) } },
    // React escapes what it shows.
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  document.documentElement.lang = language;
}

export async function switchLanguage(language: Language): Promise<void> {
  if (!i18next.hasResourceBundle(language, "translation")) {
    i18next.addResourceBundle(language, "translation", await textsOf(language));
  }
  localStorage.setItem(REMEMBERED, language);
  document.documentElement.lang = language;
  await i18next.changeLanguage(language);
}
