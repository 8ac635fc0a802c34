import { type Fragment, part, type Sql, sql } from "../../db/sql.ts";
import type { Invariant } from "./invariant.ts";

/** A setting in centavos or basis points, with its name in the audit log's entry, which has it in BRL or percent. */
const HUNDREDTHS: readonly (readonly [column: string, path: string])[] = [
  ...["charge", "withdrawal", "refund"].flatMap((operation) => [
    [`${operation}_fee_fixed`, `fees,${operation},fixed`] as const,
    [`${operation}_fee_bps`, `fees,${operation},percent`] as const,
    [`${operation}_fee_min`, `fees,${operation},min`] as const,
    [`${operation}_fee_max`, `fees,${operation},max`] as const,
  ]),
  ["limit_per_withdrawal", "limits,perWithdrawal"],
  ["limit_per_day", "limits,perDay"],
  ["limit_per_night", "limits,perNight"],
  ["payout_approval_above", "payouts,approvalAbove"],
  ["payouts_per_hour_sum", "payouts,perHour,sum"],
  ["new_key_max_amount", "payouts,newKey,maxAmount"],
];
/** A setting that the entry contains unchanged. */
const AS_IT_IS: readonly (readonly [column: string, path: string])[] = [
  ["status", "status"],
  ["environment", "environment"],
  ["block_cnpj_payers", "policies,blockCnpjPayers"],
  ["unknown_payers", "policies,unknownPayers"],
  ["late_payments", "policies,latePayments"],
  ["institution_choice", "policies,institutionChoice"],
  ["unchecked_holders", "policies,uncheckedHolders"],
  ["payouts_per_hour_count", "payouts,perHour,count"],
  ["new_key_wait_minutes", "payouts,newKey,waitMinutes"],
];
const settings: string = [
  ...HUNDREDTHS.map(
    ([column, path]) => `('${path}', a.${column}::text, round(100 * (l.after #>> '{${path}}')::numeric)::text)`,
  ),
  ...AS_IT_IS.map(([column, path]) => `('${path}', a.${column}::text, l.after #>> '{${path}}')`),
  // An entry of 0.1.0 has none.
  "('policies,needs', a.needs::text, coalesce(l.after #>> '{policies,needs}', a.needs::text))",
].join(", ");

const ofAccounts = (which: string): Sql => ({
  text: `
    select a.account_id, json_build_array('setting', s.name, 'found', coalesce(s.found, 'none'),
      'wasDecided', coalesce(s.decided, 'none')) as found
    from ${which} a
    cross join lateral (
      select after from audit_log l where l.account_id = a.account_id and l.action in ('account.create', 'account.update')
      order by l.seq desc limit 1
    ) l
    cross join lateral (values ${settings}) s (name, found, decided)
    where s.found is distinct from s.decided`,
  values: [],
});

const WALLET: readonly (readonly [column: string, path: string])[] = [
  ["limit_per_withdrawal", "limits,perWithdrawal"],
  ["limit_per_day", "limits,perDay"],
  ["limit_per_night", "limits,perNight"],
];
const ofWallets = (which: string): Sql => ({
  text: `
    select w.account_id, json_build_array('wallet', w.reference, 'setting', s.name,
      'found', coalesce(s.found, 'none'), 'wasDecided', coalesce(s.decided, 'none')) as found
    from ${which} w
    left join lateral (
      select after from audit_log l where l.account_id = w.account_id and l.action = 'sub_account.update' and l.object_id = w.wallet_id
      order by l.seq desc limit 1
    ) l on true
    cross join lateral (values ('status', w.status, coalesce(l.after ->> 'status', 'approved')),
      ${WALLET.map(([column, path]) => `('${path}', w.${column}::text, round(100 * (l.after #>> '{${path}}')::numeric)::text)`).join(", ")}
    ) s (name, found, decided)
    where s.found is distinct from s.decided`,
  values: [],
});

/** The contents of a decision's entry. */
const proposals = (which: Fragment): Sql => sql`
  select p.account_id, json_build_array('proposal', p.proposal_id, 'status', p.status, 'action', n.action, 'by', n.actor) as found
  from case_proposals p
  cross join lateral (values
    ('case.propose', p.proposed_by, p.proposed_at, true),
    -- Where one person is enough, proposing is approving.
    ('case.approve', coalesce(p.decided_by, 'nobody'), p.decided_at,
      p.status in ('approved', 'executed', 'refused') and (p.decided_at is distinct from p.proposed_at or p.decided_by <> p.proposed_by)),
    ('case.reject', coalesce(p.decided_by, 'nobody'), p.decided_at, p.status = 'rejected'),
    ('case.executed', coalesce(p.decided_by, 'nobody'), p.finished_at, p.status = 'executed'),
    ('case.refused', coalesce(p.decided_by, 'nobody'), p.finished_at, p.status = 'refused')
  ) n (action, actor, at, due)
  left join audit_log a on a.account_id = p.account_id and a.action = n.action and a.object_id = p.case_id
    and a.after ->> 'proposalId' = p.proposal_id::text and a.after ->> 'action' = p.action and a.actor = n.actor
    and (n.action <> 'case.propose' or a.after -> 'parameters' = p.parameters)
    -- Written in one transaction, by one clock.
    and a.created_at between n.at - interval '1 minute' and n.at + interval '1 minute'
  where n.due and a.account_id is null ${which}`;

const brakes = (which: Fragment): Sql => sql`
  select a.account_id, json_build_array('brake', a.object_id, 'action', a.action, 'by', a.actor) as found
  from audit_log a
  left join brakes b on b.brake_id = a.object_id and b.scope = a.after ->> 'scope'
    and b.target_id::text is not distinct from a.after ->> 'targetId'
    and case a.action when 'brake.set' then b.actor = a.actor and b.reason = a.after ->> 'reason'
        and b.since between a.created_at - interval '1 minute' and a.created_at + interval '1 minute'
      else b.lifted_by = a.actor and b.lift_reason = a.after ->> 'reason'
        and b.lifted_at between a.created_at - interval '1 minute' and a.created_at + interval '1 minute' end
  where a.action in ('brake.set', 'brake.lift') and b.brake_id is null ${which}`;

/** Compares operators' settings and decisions with the audit log, which is a chain. */
export const SETTING_INVARIANTS: readonly Invariant[] = [
  {
    name: "N4",
    rule: "the status, policies, fees and limits of an account are those of its newest entry in the audit log",
    query: () => ofAccounts("accounts"),
    fresh: ofAccounts("(select o.* from fresh_tenants f join accounts o on o.account_id = f.account_id)"),
  },
  {
    name: "N7",
    rule: "the status and limits of a wallet are those of its newest entry in the audit log; without one it is approved and has no limits",
    query: () => ofWallets("wallets"),
    fresh: ofWallets("(select o.* from fresh_tenants f join wallets o on o.account_id = f.account_id)"),
  },
  {
    name: "N5",
    rule: "every proposal of a case, its decision and its end have their entries in the audit log, with the same persons, action and parameters",
    query: () => proposals(part``),
    fresh: proposals(part`and p.proposed_at > now() - interval '1 day'`),
  },
  {
    name: "N6",
    rule: "every brake that operators set or lifted stands as its entry in the audit log says, with the same person, reason and target",
    query: () => brakes(part``),
    fresh: brakes(part`and a.created_at > now() - interval '1 day'`),
  },
];
