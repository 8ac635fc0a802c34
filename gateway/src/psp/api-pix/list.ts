/** Lists by time, page by page, in the form of the standard and of Efí. */
import type { Found } from "../outcome.ts";
import type { ListPage } from "../psp.ts";
import type { ApiPixConfig, Route } from "./config.ts";
import { found } from "./interpret.ts";
import type { Page } from "./read-answers.ts";
import { writeTime } from "./read-values.ts";
import type { Caller } from "./request.ts";

/** A page of 1,000 Pix has about 0.5 MB, and more with returns and payers. */
const MAX_LIST_BYTES = 8 * 1024 * 1024;

type Window = { readonly from: Date; readonly to: Date; readonly page: number; readonly onlyReturned?: boolean };

/** The readable items of a page, and the other properties of a page (`Psp`). */
type Listed<T> = { readonly values: readonly T[]; readonly rest: ListPage };

/** Queries one page of a list. */
export async function callList<T>(
  config: ApiPixConfig,
  caller: Caller,
  route: Route,
  window: Window,
  read: (body: unknown) => Page<T> | null,
): Promise<Found<Listed<T>>> {
  const { page } = window;
  const from = window.from.getTime();
  const to = window.to.getTime();
  if (Number.isNaN(from) || Number.isNaN(to) || !Number.isSafeInteger(page) || page < 0) {
    return { kind: "unknown", reason: "invalid_window" };
  }
  // If the bank accepts only whole seconds, the window grows to them: a Pix listed twice is harmless, a lost one is not.
  const end = config.timestampMillis ? to : Math.ceil(to / 1000) * 1000;
  const reply = await caller.call({
    route,
    method: "GET",
    query:
      `inicio=${writeTime(window.from, config.timestampMillis)}&fim=${writeTime(new Date(end), config.timestampMillis)}` +
      `${window.onlyReturned ? "&devolucaoPresente=true" : ""}&paginacao.paginaAtual=${page}&paginacao.itensPorPagina=${config.pageSize}`,
    maxAnswerBytes: MAX_LIST_BYTES,
  });
  // A refused window, for instance for its age, is not repeated. So the refusal must be the bank's own.
  if (reply.kind === "refused" && reply.isGeneric) return { kind: "unknown", reason: "unrecognised_answer" };
  return found(reply, (body) => {
    const list = read(body);
    if (list === null) return null;
    const { values, unreadable, pages = 1 } = list;
    return {
      values,
      rest: {
        nextPage: page + 1 < pages ? page + 1 : null,
        ...(unreadable.length > 0 && { unreadable }),
        ...(page === 0 && leftOut(list, config.pageSize)),
      },
    };
  });
}

/**
 * Whether a bank may have left items out of a list: it counts more than its pages contain, or it counts nothing and the
 * list has exactly the requested length or a round number of items, as limits are (10, 50, 100, 500).
 */
function leftOut({ items, pages, total }: Page<unknown>, pageSize: number): Pick<ListPage, "cutAt" | "total"> {
  if (total !== undefined) return total > items * Math.max(1, pages ?? 1) ? { cutAt: items, total } : {};
  const isRound = items > 0 && (items >= pageSize || items % 10 === 0 || items % 25 === 0);
  return pages === undefined && isRound ? { cutAt: items } : {};
}
