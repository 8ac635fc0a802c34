/** What several commands do with their answers. */
import { show } from "../show.ts";

export const FORMAT = { format: { description: "of --csv; pt-BR: as a spreadsheet in Brazilian Portuguese opens it" } };

export const isWrong = (result: unknown): boolean => !(result as { readonly ok: boolean }).ok;

/** Shows the items of one field of an answer. */
export const tableOf =
  (field: string, columns: readonly string[]) =>
  (result: unknown): string =>
    show({ items: (result as Readonly<Record<string, unknown>>)[field] }, columns);
