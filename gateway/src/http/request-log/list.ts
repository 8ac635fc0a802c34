import type { Queries } from "../../db/pool.ts";
import { part, sql } from "../../db/sql.ts";
import { firstUuidAt } from "../../lib/ids.ts";
import { type Page, readPage, readPeriod } from "../pages.ts";
import { requests } from "./log.ts";
import { type ApiRequest, type RequestQuery, type RequestRow, toRequest } from "./schema.ts";

const LIST = "requests";

const { accountId: _, ...columns } = requests.columns;
const SHOWN = requests.select("", Object.keys(columns) as (keyof typeof columns)[]);

/** In the form of the index api_requests_refused, which finds the newest refusals among many successful requests. */
const OUTCOMES = {
  succeeded: part`status < 400`,
  refused: part`status >= 400 and status < 500`,
  failed: part`status >= 400 and status >= 500`,
};

/**
 * One page of an account's requests, newest first. A request's id begins with its time, so that the primary key is read in
 * order, from and to an instant.
 */
export async function listRequests(
  queries: Queries,
  accountId: string,
  query: RequestQuery,
): Promise<Page<ApiRequest>> {
  const traceId = query.traceId ?? null;
  const [from, to] = readPeriod(query, ["from", "to"]);
  const outcome = query.outcome === undefined ? part`true` : OUTCOMES[query.outcome];
  return readPage(LIST, query, {
    read: (after, count) =>
      queries.query<RequestRow>(sql`
    select ${SHOWN} from api_requests
    where account_id = ${accountId} and ${outcome}
      and (${after}::uuid is null or trace_id < ${after})
      and (${traceId}::uuid is null or trace_id = ${traceId})
      and (${from && firstUuidAt(from.getTime())}::uuid is null or trace_id >= ${from && firstUuidAt(from.getTime())})
      and (${to && firstUuidAt(to.getTime())}::uuid is null or trace_id < ${to && firstUuidAt(to.getTime())})
    order by trace_id desc limit ${count}`),
    show: toRequest,
    key: (row) => row.traceId,
  });
}
