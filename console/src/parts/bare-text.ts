/** Without accents and case, so that `saidas` finds `Saídas`, and `ROSANA` is `Rosana`. */
export const bareText = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();
