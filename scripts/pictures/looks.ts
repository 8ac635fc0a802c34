/** In which window, language and scheme a picture is taken. */
export type Look = {
  readonly colorScheme: "light" | "dark";
  readonly viewport: { readonly width: number; readonly height: number };
  readonly locale: "pt-BR" | "en-US";
};

const WIDE = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };
/** Of this one the whole page is taken. */
export const NARROW = { width: 360, height: 800 };

export const LIGHT = { colorScheme: "light", viewport: WIDE, locale: "pt-BR" } as const;
export const DARK = { colorScheme: "dark", viewport: WIDE, locale: "en-US" } as const;

/** Of a screen. */
export const LOOKS: readonly Look[] = [
  LIGHT,
  { ...LIGHT, locale: "en-US" },
  { ...DARK, locale: "pt-BR" },
  DARK,
  { ...LIGHT, viewport: { width: 960, height: 900 } },
  { ...LIGHT, viewport: NARROW },
  { ...DARK, viewport: NARROW },
];
/** Of a state of a screen. */
export const FEW: readonly Look[] = [LIGHT, DARK, { ...LIGHT, viewport: NARROW }];
