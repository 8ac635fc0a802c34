/** Lists by time, page by page, as the standard and Efí have them. */
import type { Found } from "../psp.ts";
import type { ApiPixConfig, Route } from "./config.ts";
import { found } from "./interpret.ts";
import type { Page } from "./read-answers.ts";
import { writeTime } from "./read-values.ts";
import type { Caller } from "./request.ts";

/** A page of 1,000 Pix has about 0.5 MB, and more with returns and payers. */
const MAX_LIST_BYTES = 8 * 1024 * 1024;

type Window = { readonly from: Date; readonly to: Date; readonly page: number; readonly onlyReturned?: boolean };

/** Queries one page of a list. `next` is the number of the page after it, null on the last one. */
export async function callList<T>(
  config: ApiPixConfig,
  caller: Caller,
  route: Route,
  window: Window,
  read: (body: unknown) => Page<T> | null,
): Promise<Found<{ readonly values: readonly T[]; readonly next: number | null }>> {
  const { page } = window;
  const from = window.from.getTime();
  const to = window.to.getTime();
  if (Number.isNaN(from) || Number.isNaN(to) || !Number.isSafeInteger(page) || page < 0) {
    return { kind: "unknown", reason: "invalid_window" };
  }
  // Where the bank accepts only whole seconds, the window grows to them: a Pix listed twice is harmless, a lost one is not.
  const end = config.timestampMillis ? to : Math.ceil(to / 1000) * 1000;
  const reply = await caller.call({
    route,
    method: "GET",
    query:
      `inicio=${writeTime(window.from, config.timestampMillis)}&fim=${writeTime(new Date(end), config.timestampMillis)}` +
      `${window.onlyReturned ? "&devolucaoPresente=true" : ""}&paginacao.paginaAtual=${page}&paginacao.itensPorPagina=${config.pageSize}`,
    maxAnswerBytes: MAX_LIST_BYTES,
  });
  return found(reply, (body) => {
    const list = read(body);
    if (list === null) return null;
    // Without a count, a full page may have a successor.
    const more = list.pages === undefined ? list.items >= config.pageSize : page + 1 < list.pages;
    return { values: list.values, next: more ? page + 1 : null };
  });
}
