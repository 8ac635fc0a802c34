import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { isolate } from "./isolate.ts";

type Language = "pt-BR" | "en";
const REMEMBERED = "pixgate.language";

/** The person's choice, what this browser chose before, or what it asks for. Portuguese where it asks for neither. */
export function preferredLanguage(chosen: Language | null): Language {
  const remembered = localStorage.getItem(REMEMBERED);
  if (chosen !== null) return chosen;
  if (remembered === "pt-BR" || remembered === "en") return remembered;
  return navigator.languages.find((one) => /^(pt|en)\b/.test(one))?.startsWith("en") ? "en" : "pt-BR";
}

/** Texts beside Home's: of the merchants' other screens and signing in, and of the operator's screens. */
export type TextPart = "screens" | "operator";

/** Only the texts of one language are loaded: Home's first, a part when a screen that shows it is opened. */
const TEXTS = {
  "pt-BR": {
    home: () => import("./pt-BR.json"),
    screens: () => import("./screens.pt-BR.json"),
    operator: () => import("./operator.pt-BR.json"),
  },
  en: {
    home: () => import("./en.json"),
    screens: () => import("./screens.en.json"),
    operator: () => import("./operator.en.json"),
  },
} as const;
const loaded = new Set<TextPart>();

async function addPart(part: TextPart, language: Language): Promise<void> {
  const texts = (await TEXTS[language][part]()).default;
  i18next.addResourceBundle(language, "translation", part === "operator" ? { operator: texts } : texts, true, true);
}

/** Loads something together with parts of the texts; from then on each language that is chosen has them. */
export async function withTexts<T>(load: () => Promise<T>, ...parts: readonly TextPart[]): Promise<T> {
  for (const part of parts) loaded.add(part);
  const [result] = await Promise.all([load(), ...parts.map((part) => addPart(part, i18next.language as Language))]);
  return result;
}

/** Begins to load what `startTexts` needs. */
export function prefetchTexts(language: Language): void {
  void TEXTS[language].home();
}

export async function startTexts(language: Language): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    resources: { [language]: { translation: (await TEXTS[language].home()).default } },
    // React escapes what it shows; a name in a sentence leaves the rest of it as it is.
    interpolation: { escapeValue: true, escape: isolate },
    returnNull: false,
  });
  document.documentElement.lang = language;
}

export async function switchLanguage(language: Language): Promise<void> {
  if (!i18next.hasResourceBundle(language, "translation")) {
    i18next.addResourceBundle(language, "translation", (await TEXTS[language].home()).default);
    await Promise.all([...loaded].map((part) => addPart(part, language)));
  }
  localStorage.setItem(REMEMBERED, language);
  document.documentElement.lang = language;
  await i18next.changeLanguage(language);
}
