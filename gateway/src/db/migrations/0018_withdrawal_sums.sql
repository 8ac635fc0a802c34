-- What the limits of withdrawals count, kept with every withdrawal instead of summed up for each: a merchant's ten thousandth
-- withdrawal of a day costs what the first one does.
create table withdrawal_sums (
  account_id uuid primary key,
  -- Full hours (Unix milliseconds) of the last day and a bit, and the centavos asked for in each by withdrawals that did not fail.
  hours bigint[] not null,
  amounts bigint[] not null,
  check (cardinality(hours) = cardinality(amounts))
);

insert into withdrawal_sums
select account_id, array_agg(hour order by hour), array_agg(amount order by hour)
from (
  select w.account_id, (floor(extract(epoch from w.created_at) / 3600) * 3600000)::bigint as hour, sum(w.amount)::bigint as amount
  from (select account_id, max(created_at) as at from withdrawals group by account_id) newest
  join withdrawals w on w.account_id = newest.account_id and w.created_at > newest.at - interval '26 hours'
  where w.status <> 'failed'
  group by 1, 2
) s
group by account_id;

drop index withdrawals_by_time;
