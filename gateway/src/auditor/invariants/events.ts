import { sql } from "../../db/sql.ts";
import type { Invariant } from "./invariant.ts";

/** Rules of events and their deliveries. */
export const EVENT_INVARIANTS: readonly Invariant[] = [
  {
    name: "E1",
    rule: "every completed charge has its payment_completed event",
    query: (from) => sql`
      select c.account_id, json_build_array('charge', c.charge_id) as found from ${from("charges")} c
      where c.status = 'completed' and not exists (
        select from ${from("events")} e where e.account_id = c.account_id and e.event_id = c.charge_id::text
          and e.kind = 'payment_completed')`,
  },
  {
    name: "E2",
    rule: "every delivery belongs to an event and an endpoint, and no endpoint has two deliveries of one event",
    query: (from) => sql`
      select d.account_id, json_build_array('event', d.event_id, 'endpoint', d.endpoint_id, 'times', count(*)) as found
      from ${from("deliveries")} d
      left join ${from("events")} e on e.account_id = d.account_id and e.event_id = d.event_id
      left join webhook_endpoints w on w.account_id = d.account_id and w.endpoint_id = d.endpoint_id
      group by d.account_id, d.event_id, d.endpoint_id
      having count(*) > 1 or count(e.event_id) = 0 or count(w.endpoint_id) = 0`,
  },
];
