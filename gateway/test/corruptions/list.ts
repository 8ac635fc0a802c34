/**
 * Ways in which books can be wrong, each done to sound ones: a bug, a forger, a restored half, an operator with psql. What
 * must find it, what it is, and the statements, in which `:name` is an id or the number of a ledger account.
 */
export type Corruption = readonly [rules: string, what: string, ...statements: string[]];

const move = (kind: string, source: string, set: string) =>
  `update ledger_transfers set ${set} where kind = '${kind}' and source_id = :${source}`;
const lose = (kind: string, source: string) =>
  `delete from ledger_transfers where kind = '${kind}' and source_id = :${source}`;
const balance = (no: string, by: number) =>
  `update ledger_accounts set balance = balance + ${by} where account_id = :account and no = :${no}`;
const change = (table: string, id: string, name: string, set: string) =>
  `update ${table} set ${set} where ${id} = :${name}`;
const remove = (table: string, id: string, name: string) => `delete from ${table} where ${id} = :${name}`;
/** A transfer of 5 centavos that is numbered and balanced as the ledger does it. */
const forge = (kind: string, source: string, from: string, to: string, amount = 5) => [
  `insert into ledger_transfers (account_id, kind, source_id, leg, amount, from_no, from_seq, from_balance, to_no, to_seq,
      to_balance, occurred_at, booked_at)
    select f.account_id, '${kind}', ${source}, 0, ${amount}, f.no, f.seq + 1, f.balance - ${amount},
      t.no, t.seq + 1, t.balance + ${amount}, now(), now()
    from ledger_accounts f join ledger_accounts t on t.account_id = f.account_id and t.no = :${to}
    where f.account_id = :account and f.no = :${from}`,
  `update ledger_accounts set seq = seq + 1, balance = balance + case when no = :${to} then ${amount} else -${amount} end
    where account_id = :account and no in (:${from}, :${to})`,
];
const NEW = "gen_random_uuid()";
const copy = (table: string, columns: Record<string, string>, where: string) =>
  `insert into ${table} select (jsonb_populate_record(null::${table}, to_jsonb(t) || jsonb_build_object(${Object.entries(
    columns,
  )
    .map(([name, value]) => `'${name}', ${value}`)
    .join(", ")}))).* from ${table} t where ${where}`;

export const CORRUPTIONS: readonly Corruption[] = [
  // Balances and lines.
  ["L1 L2", "a balance with a centavo from nowhere", balance("available", 1)],
  ["L2", "a centavo shifted from one balance to another", balance("available", 1), balance("fees", -1)],
  ["H1 L2", "a centavo of available that is held instead", balance("available", -1), balance("held", 1)],
  ["L1 L3", "a ledger account that is gone", "delete from ledger_accounts where account_id = :account and no = :fees"],
  [
    "L3",
    "a line promised and not there",
    "update ledger_accounts set seq = seq + 1 where account_id = :account and no = :fees",
  ],
  [
    "L3",
    "a gap in the numbers of lines",
    move("charge_fee", "shared", "to_seq = to_seq + 1000"),
    "update ledger_accounts set seq = seq + 1 where account_id = :account and no = :fees",
  ],
  ["L3", "two lines of one number", move("charge_fee", "shared", "to_seq = to_seq - 1")],
  ["L4", "a line that reports another balance after it", move("charge_paid", "plain", "to_balance = to_balance + 1")],
  ["L2 L4", "a transfer of a centavo more than its balances say", move("charge_paid", "plain", "amount = amount + 1")],
  ["L2 L3", "a transfer to an account that does not exist", move("charge_fee", "plain", "to_no = 99")],
  [
    "L2 L4",
    "a transfer turned round",
    move("transfer", "transfer", "from_no = to_no, to_no = from_no, from_seq = to_seq, to_seq = from_seq"),
  ],
  ["L5", "available below zero", ...forge("withdrawal_held", NEW, "available", "held", 100_000_000)],
  ["T1", "a kind between accounts that it is not for", ...forge("charge_fee", NEW, "held", "fees")],
  ["T1", "a kind that nobody knows", move("adjustment", "adjustment", "kind = 'gift'")],

  // Charges.
  // What movements at institutions were booked from.
  ["V1", "a payment whose evidence is gone", remove("booking_evidence", "source_id", "plain")],
  ["V2", "evidence about another Pix", change("booking_evidence", "source_id", "plain", "about = 'E0'")],
  [
    "V3",
    "a decision that nobody made",
    change("booking_evidence", "source_id", "plain", "origin = 'proposal', institution_id = null, body = null"),
  ],
  ["C1 C3", "paid and not completed", change("charges", "charge_id", "plain", "status = 'pending'")],
  [
    "C1 C3 E1",
    "completed and not paid",
    change(
      "charges",
      "charge_id",
      "pending",
      "status = 'completed', fee_amount = 0, net_amount = amount, e2e_id = 'E1', paid_at = now()",
    ),
  ],
  [
    "C1 C3",
    "a charge of another amount than was paid",
    change("charges", "charge_id", "plain", "amount = amount + 1, net_amount = net_amount + 1"),
  ],
  ["C1", "a completed charge without a fee", change("charges", "charge_id", "plain", "fee_amount = null")],
  ["C1", "a net amount that is not the rest", change("charges", "charge_id", "plain", "net_amount = net_amount - 1")],
  ["C1 C3", "a paid charge that is gone", remove("charges", "charge_id", "plain")],
  ["C1 P1", "a payment booked for nobody's charge", move("charge_paid", "plain", `source_id = ${NEW}`)],
  [
    "C2",
    "another fee than was taken",
    change("charges", "charge_id", "plain", "fee_amount = fee_amount + 1, net_amount = net_amount - 1"),
  ],
  ["C2 L2", "a fee that was never booked", lose("charge_fee", "plain")],
  ["C3", "another end-to-end id than its Pix", change("charges", "charge_id", "plain", "e2e_id = 'E0'")],
  ["C4", "a charge paid twice in the ledger", ...forge("charge_paid", NEW, "psp", "available")],
  ["C4", "a fee of no charge", ...forge("charge_fee", NEW, "available", "fees")],
  ["C4 L2", "a leg of a split that is reported and not booked", lose("charge_split", "shared")],
  ["C4", "a leg of a charge without a split", ...forge("charge_split", ":plain", "available", "shop")],
  ["P3", "a tax that no institution withheld", ...forge("tax_withheld", NEW, "available", "psp")],
  ["C1 P3", "a tax that was withheld and is not booked", change("received_pix", "charge_id", "plain", "withheld = 1")],
  ["P3", "a tax that the operator bears of no receipt", change("pix_assignments", "pix_id", "receiptAssigned", "house_tax = 1")],
  [
    "C5",
    "a leg that got more than it asked",
    change("charges", "charge_id", "shared", "applied_split = jsonb_set(applied_split, '{0}', '301')"),
  ],
  ["C6", "a charge that stands on no till of its own", change("open_charges", "charge_id", "pending", "qr_code_id = charge_id")],
  ["C7", "a link that counts a payment too many", change("payment_links", "link_id", "link", "payments = payments + 1, max_payments = null")],
  ["C7", "a link whose sum has a centavo from nowhere", change("payment_links", "link_id", "link", "paid_amount = paid_amount + 1")],
  ["C7", "a link that took more payments than it takes", change("payment_links", "link_id", "link", "max_payments = 0")],
  ["C7 C8", "a payment of a link that nobody made", change("charges", "charge_id", "seat", "payment_link_id = charge_id")],
  ["C8", "a payment by another wallet's link", change("payment_links", "link_id", "link", "wallet_id = link_id")],
  ["C8", "a payment by a code that nobody made", change("charges", "charge_id", "tip", "qr_code_id = charge_id")],
  ["C8", "a payment by another wallet's till", change("qr_codes", "qr_code_id", "till", "wallet_id = qr_code_id")],
  ["C8", "a payment of a code at another institution", change("qr_codes", "qr_code_id", "code", "institution_id = qr_code_id")],
  ["C8", "a payment of a code with another txid", change("qr_codes", "qr_code_id", "code", "txid = txid || '0'")],
  ["C9", "a charge with a due date that was paid with another sum than its parts", change("charges", "charge_id", "invoice",
    `components = '{"original": 600, "fine": 1, "interest": 0, "discount": 0, "abatement": 0}'`)],
  ["C9", "a charge with a due date that was paid with more than its terms make possible", change("charges", "charge_id", "invoice",
    "components = null, charged_amount = charged_amount - 1")],
  ["C9", "terms of a charge with a due date that no edit has made", change("charges", "charge_id", "invoice",
    `due_edits = jsonb_build_array(jsonb_build_object('from', due, 'to', due || '{"daysAfter": 9}', 'status', 'done', 'endedAt', now()))`)],
  ["C5", "a split that is forgotten", change("charges", "charge_id", "shared", "applied_split = null")],
  [
    "C5",
    "a leg served twice",
    change("charges", "charge_id", "shared", "applied_split = applied_split || applied_split"),
  ],

  ["C6", "a pending charge that nobody will poll", "delete from open_charges where charge_id = :pending"],
  [
    "C6",
    "a charge that is polled after its end",
    "insert into open_charges (account_id, wallet_id, charge_id, check_at) values (:account, :account, :plain, now())",
  ],

  // Pix that came in.
  ["C3", "a credited Pix that is gone", remove("received_pix", "charge_id", "plain")],
  [
    "C3",
    "a second Pix credited to one charge",
    copy("received_pix", { e2e_id: "'E9'", pix_id: NEW }, "t.charge_id = :plain"),
  ],
  ["C3 P1", "a credited Pix of another amount", change("received_pix", "charge_id", "plain", "amount = amount + 1")],
  [
    "C3 P1",
    "a Pix that was credited and says blocked",
    change("received_pix", "charge_id", "plain", "outcome = 'blocked'"),
  ],
  ["P2", "a deposit set aside for no Pix", ...forge("deposit_blocked", NEW, "psp", "returns")],
  ["P2 R3", "a blocked Pix that is gone", remove("received_pix", "charge_id", "blocked")],

  // Deposits that go back.
  ["R1 R2", "a return booked and not confirmed", change("pix_returns", "charge_id", "blocked", "status = 'failed'")],
  ["R1 L2", "a return confirmed and not booked", lose("deposit_returned", "depositReturn")],
  [
    "R2 R5 N8",
    "a return that counts as written off, and nothing of it in the ledger",
    change("pix_returns", "charge_id", "blocked", `written_off_by = ${NEW}, written_off_amount = 5`),
  ],
  ["R4", "a deposit that is back, and no event", "delete from events where kind = 'deposit_returned' and account_id = :account"],
  ["R3", "a deposit without its return", remove("pix_returns", "charge_id", "blocked")],
  [
    "R3",
    "a return of another amount than the deposit",
    change("pix_returns", "charge_id", "blocked", "amount = amount - 1"),
  ],
  [
    "R3",
    "a deposit returned twice",
    copy("pix_returns", { return_id: NEW, psp_id: "'again'" }, "t.charge_id = :blocked"),
  ],

  ["A1", "an account whose simulated money became real", "update accounts set environment = 'production' where account_id = :account"],


  // What wallets see of it.
  ["M1", "an internal transfer without its sender", "update movements set direction = 'in' where cause_id = :transfer"],
  [
    "M1 M2",
    "an internal transfer without its recipient",
    "update movements set counterpart_wallet_id = null, counterpart_movement_id = null where cause_id = :transfer",
  ],
  [
    "M1",
    "an internal transfer that is one transaction of both sides",
    "update movements set counterpart_movement_id = movement_id where cause_id = :transfer",
  ],
  ["M1", "an adjustment with a recipient", "update movements set counterpart_wallet_id = account_id where movement_id = :adjustment"],
  ["M2", "an internal transfer that nobody sees", "delete from movements where cause_id = :transfer"],
  ["M2", "a transfer that both sides see with another amount", "update movements set amount = amount + 1 where cause_id = :transfer"],
  ["M2", "a transfer that only the ledger knows", ...forge("transfer", NEW, "available", "shop")],
  ["M3", "an adjustment that nobody sees", remove("movements", "movement_id", "adjustment")],
  ["M3", "an adjustment the other way round", change("movements", "movement_id", "adjustment", "direction = 'out'")],
  ["M3", "money of the operator's that only the ledger knows", ...forge("adjustment", NEW, "operator", "available")],
  [
    "N1",
    "a million given in step everywhere but in the audit log",
    ...forge("adjustment", "'0197f0a0-0000-7000-8000-000000000001'::uuid", "operator", "available", 100_000_000),
    copy(
      "movements",
      {
        movement_id: "'0197f0a0-0000-7000-8000-000000000001'",
        cause_id: "'0197f0a0-0000-7000-8000-000000000001'",
        amount: "100000000",
      },
      "t.movement_id = :adjustment",
    ),
  ],
  [
    "N1",
    "an adjustment of another amount than was decided",
    move("adjustment", "adjustment", "amount = amount + 1"),
    change("movements", "movement_id", "adjustment", "amount = amount + 1"),
  ],
  ["N3", "a payout that nobody decided to adopt", change("withdrawals", "withdrawal_id", "partly", "adopted = true")],
  ["M3", "credit that became money", move("promotional_credit", "credit", "kind = 'adjustment'")],
  ["M4", "a refund's fee that nobody sees", "delete from movements where type = 'fee' and account_id = :account"],
  [
    "M4",
    "a chargeback of another amount",
    "update movements set amount = amount + 1 where type = 'chargeback' and account_id = :account",
  ],

  // Withdrawals.
  ["W1 L2", "a withdrawal that was never held", lose("withdrawal_held", "sent")],
  ["W1 H1", "an open withdrawal that is gone", remove("withdrawals", "withdrawal_id", "open")],
  ["W2 H1", "completed and not sent", change("withdrawals", "withdrawal_id", "open", "status = 'completed'")],
  ["W2 L2", "completed, and the money still here", lose("withdrawal_sent", "sent")],
  ["W2", "sent by another institution than booked", change("withdrawals", "withdrawal_id", "sent", "institution_id = account_id")],
  ["W2", "booked as another withdrawal's", move("withdrawal_sent", "sent", "source_id = :failed")],
  ["W3 L2", "failed, and its hold never released", lose("withdrawal_released", "failed")],
  ["W3", "sent and released as well", ...forge("withdrawal_released", ":sent", "held", "available")],
  ["W4 L2", "a return of a withdrawal without its money", lose("withdrawal_returned", "comeBack")],
  ["W4", "money that came back of no withdrawal", ...forge("withdrawal_returned", NEW, "psp", "available")],
  [
    "W5",
    "returns of another sum than came back",
    change("withdrawals", "withdrawal_id", "partly", "returned_amount = returned_amount + 1"),
  ],
  ["W5 L2", "all came back but the fee", lose("withdrawal_fee_returned", "reversed")],
  ["W6", "a return that no transaction shows", "delete from movements where cause_id = :comeBack"],
  ["W7", "an end of a withdrawal that nobody was notified of", remove("events", "event_id", "sent")],
  ["W7", "news of an end that never came", change("events", "event_id", "sent", "event_id = :open::text")],

  // Refunds, blocks, and what a PSP returned by itself.
  ["F1 L2", "a refund that was never held", lose("refund_held", "refundPending")],
  ["F1 L2", "a refund sent with another amount", move("refund_sent", "refundConfirmed", "amount = amount - 1")],
  ["F2", "a refund confirmed here and failed there", change("pix_returns", "return_id", "refundConfirmed", "status = 'failed'")],
  ["F2", "a refund without its return", remove("pix_returns", "return_id", "refundFailed")],
  [
    "F3",
    "a late refund that nobody booked",
    change("refunds", "refund_id", "refundConfirmed", "late = true"),
  ],
  [
    "F4 S1",
    "two refunds of one payment under way",
    copy("refunds", { refund_id: NEW }, "t.refund_id = :refundPending"),
  ],
  [
    "S1",
    "more refunded of a payment than was paid",
    copy("refunds", { refund_id: NEW, amount: "1" }, "t.refund_id = :refundConfirmed"),
  ],
  ["F2", "a refund of more than its payment", change("refunds", "refund_id", "refundFailed", "amount = amount + 1")],
  ["B1 L2", "a block that was never held", lose("block_held", "blockOpen")],
  [
    "B1 H1",
    "a block that ended and holds on",
    change("balance_blocks", "block_id", "blockOpen", "status = 'rejected', resolved_at = created_at, held_amount = 0"),
  ],
  ["B2", "a PSP's return of another amount", "update psp_returns set amount = amount + 1 where source = 'available' and account_id = :account"],
  ["B1 B3", "a PSP's return of more than its block", "update psp_returns set amount = amount + 100000 where source = 'held' and account_id = :account"],
  ["S1", "more claimed of a Pix than it is", change("balance_blocks", "block_id", "blockOpen", "amount = amount + 1, held_amount = held_amount + 1")],

  // What somebody must be notified of.
  ["E1", "a payment that nobody was notified of", remove("events", "event_id", "plain")],
  ["E2", "a delivery without its event", change("deliveries", "event_id", "plain", "event_id = 'nothing'")],
  ["E2", "a delivery to nobody", change("deliveries", "event_id", "plain", `endpoint_id = ${NEW}`)],
  ["E2", "a delivery twice", copy("deliveries", { delivery_id: NEW }, "t.event_id = :plain::text")],
  ["E3", "a refund that nobody was notified of", remove("events", "event_id", "refundConfirmed")],

  // Receipts of the house.
  ["U1 L2", "an assigned receipt that is still in suspense", lose("unmatched_resolved", "receiptAssigned")],
  ["U2", "suspense with more than its receipts", change("received_pix", "pix_id", "receiptWaiting", "amount = amount - 1")],
  ["U3", "a receipt assigned to nothing", remove("pix_assignments", "pix_id", "receiptAssigned")],
  [
    "U4",
    "a credited Pix that the house has kept as well",
    copy("received_pix", { account_id: ":house", pix_id: NEW, outcome: "'unmatched'", charge_id: "null", wallet_id: "null" }, "t.charge_id = :plain"),
  ],
  [
    "U3",
    "a receipt assigned to another charge",
    change("pix_assignments", "pix_id", "receiptAssigned", "charge_id = :plain"),
  ],

  // The operator's own money.
  ["O1", "a sweep booked with another amount than recorded", change("treasury_entries", "entry_id", "sweep", "amount = amount + 1")],
  [
    "N2",
    "a sweep booked in step with another amount than was decided",
    change("treasury_entries", "entry_id", "sweep", "amount = amount + 2"),
    move("sweep", "sweep", "amount = amount + 2"),
  ],
  ["O1 L2", "a sweep that never left", lose("sweep", "sweep")],
  ["O2", "a receipt that nobody recorded as the operator's own", remove("treasury_entries", "entry_id", "receiptTreasury")],
  ["O1 U2", "a receipt recorded as the operator's own, and still in suspense", lose("top_up", "receiptTreasury"),
    "update ledger_accounts set balance = balance + 1300 where account_id = :house and kind = 'suspense'"],

  // What operators decided, what is open, and who is paid.
  ["N4", "a fee that nobody decided", change("accounts", "account_id", "account", "charge_fee_fixed = charge_fee_fixed + 1")],
  ["N4", "a limit that nobody lifted", change("accounts", "account_id", "account", "limit_per_day = 100")],
  ["N5", "a proposal that its proposer approved as another", "update case_proposals set proposed_by = 'nobody' where action = 'treasury'"],
  ["N5", "a proposal of something else than was proposed", "update case_proposals set parameters = '{}' where action = 'treasury'"],
  ["N7", "a sub-account that nobody suspended", "update wallets set status = 'suspended' where account_id = :account and wallet_id <> account_id"],
  ["B4", "a return of another charge than its Pix", "update psp_returns set charge_id = account_id where account_id = :account"],
  ["B4", "a block at another institution than its Pix", change("balance_blocks", "block_id", "blockOpen", "institution_id = account_id")],
  ["C3", "a credited Pix of another wallet", "update received_pix set wallet_id = charge_id where charge_id = :plain"],
  ["C3 C4", "a payment at another time", change("charges", "charge_id", "plain", "paid_at = paid_at + interval '3 days'")],
  ["C4", "a line that occurred at another time", move("charge_paid", "plain", "occurred_at = occurred_at - interval '3 days'")],
  ["P2", "a deposit that occurred at another time", "update received_pix set paid_at = paid_at - interval '1 day' where charge_id = :blocked"],
  ["R1", "a return that was settled at another time", "update pix_returns set settled_at = settled_at - interval '1 day' where charge_id = :blocked"],
  ["W2", "a payout that was settled at another time", change("withdrawals", "withdrawal_id", "sent", "settled_at = settled_at - interval '1 day'")],
  ["W4", "money that came back at another time", change("withdrawal_returns", "return_id", "comeBack", "returned_at = returned_at - interval '1 day'")],
  ["F1", "a refund at another time", change("refunds", "refund_id", "refundConfirmed", "refunded_at = refunded_at - interval '1 day'")],
  ["O1", "a sweep at another time", change("treasury_entries", "entry_id", "sweep", "occurred_at = occurred_at - interval '1 day'")],
  ["Q1", "a payout that is due in 2999", change("withdrawals", "withdrawal_id", "open", "next_at = '2999-01-01'")],
  ["Q1", "a payout that is never due again", change("withdrawals", "withdrawal_id", "open", "next_at = null")],
  ["Q1", "a charge that is queried in 2999", change("open_charges", "charge_id", "pending", "check_at = '2999-01-01'")],
  ["Q2", "a notification that is never applied", "update inbox set status = 'pending', next_at = '2999-01-01' where account_id = :house"],
  ["Q3", "a list of receipts that is read until next year", "update received_polls set covered_until = now() + interval '13 months'"],
  ["Q4 W8", "an open payout under another id", change("withdrawals", "withdrawal_id", "open", "psp_id = psp_id || '0'")],
  ["Q4", "an open charge under another id", change("charges", "charge_id", "pending", "txid = 'x' || txid")],
  ["W9", "a paid payout whose id at the bank another withdrawal has claimed",
    "update payout_ids set withdrawal_id = :open where withdrawal_id = :sent"],
  ["W9", "a paid payout whose id at the bank nobody has claimed", remove("payout_ids", "withdrawal_id", "sent")],
  ["W8", "an open payout to another receiver", change("withdrawals", "withdrawal_id", "open", "pix_key = 'thief@example.com'")],
  ["U5", "a receipt that waits, and whose case is gone", "update cases set status = 'closed' where kind = 'unmatched_receipt' and object_id = :receiptWaiting"],
]; // biome-ignore format: a table
