/** By bank: the settings without which it only receives, although it can pay out too. */
export const PAYING_SETTINGS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  santander: { workspaceId: "…" },
  "banco-do-brasil": { contract: 1 },
  woovi: { wooviPayouts: true },
};
