/** What is asked before it is done: commands that move money, or that cannot be undone. */
import { FINALS } from "../../http/finals.ts";
import type { Asks } from "./action.ts";

const ACCOUNT = ["name", "document", "status"];
const account: Asks["about"] = [["account", "/accounts/{0}", ACCOUNT]];

/** A withdrawal of either API, by its id. */
const withdrawal = (final: string): Asks => ({
  final,
  about: [
    [
      "withdrawal",
      "/withdrawals/{0}",
      [
        "status",
        "amount",
        "netAmount",
        "snapshotPixKey",
        "snapshotHolderName",
        "snapshotHolderDocument",
        "accountId",
        "subAccount",
      ],
    ],
  ],
});
const CASE: Asks["about"] = [
  ["case", "/cases/{0}", ["kind", "says", "amount", "accountId", "institutionId", "objectId", "evidence.says"]],
];
const RECEIPT = ["kind", "status", "amount", "payerName", "payerDocument", "paidAt", "institutionId", "accountId"];
const receipt = (final: string): Asks => ({ final, about: [["money", "/unmatched/{0}", RECEIPT]] });

const APPROVED = withdrawal(FINALS["withdrawals.approve"]);
const ENDED = withdrawal(FINALS["withdrawals.cancel"]);

/** Of the merchants' API, by operation. */
export const MERCHANT_ASKS: Readonly<Record<string, Asks>> = {
  "charges.cancel": {
    final: FINALS["charges.cancel"],
    about: [["charge", "/transactions/{0}", ["status", "amount", "description", "externalReference"]]],
  },
  "withdrawals.create": {
    final: FINALS["withdrawals.create"],
    about: [["account", "/account", ["account.id", "account.name", "balance.available"]]],
  },
  "withdrawals.approve": APPROVED,
  "withdrawals.reject": ENDED,
  "withdrawals.cancel": ENDED,
  "refunds.create": {
    final: FINALS["refunds.create"],
    about: [
      ["payment", "/transactions/{0}", ["status", "amount", "counterpartName", "counterpartDocument", "description"]],
      ["account", "/account", ["account.id", "account.name"]],
    ],
  },
  "transfers.create": {
    final: FINALS["transfers.create"],
    about: [["account", "/account", ["account.id", "account.name", "balance.available"]]],
  },
  "balanceBlocks.defend": {
    final: FINALS["balanceBlocks.defend"],
    about: [["block", "/balance-blocks/{0}", ["status", "amount", "blockType", "reason", "respondBy"]]],
  },
  "webhookEndpoints.delete": {
    final: FINALS["webhookEndpoints.delete"],
    about: [["endpoint", "/webhook-endpoints/{0}", ["url", "events", "enabled"]]],
  },
  "webhookEndpoints.rotateSecret": {
    final: FINALS["webhookEndpoints.rotateSecret"],
    about: [["endpoint", "/webhook-endpoints/{0}", ["url"]]],
  },
  "webhookEndpoints.finishRotation": {
    final: FINALS["webhookEndpoints.finishRotation"],
    about: [["endpoint", "/webhook-endpoints/{0}", ["url"]]],
  },
};

/** Of the operators' commands, by noun and verb. */
export const OPERATOR_ASKS: Readonly<Record<string, Asks>> = {
  "accounts adjust": { final: FINALS["adjustments.create"], about: account },
  "accounts lift-freeze": { final: FINALS["accounts.liftFreeze"], about: account },
  "credentials rotate": { final: FINALS["credentials.rotate"], about: account },
  "credentials revoke": { final: FINALS["credentials.revoke"], about: account },
  "institutions update": {
    when: ({ status }) => status === "retired",
    final: "A retired institution is neither polled nor reconciled any more.",
    about: [["institution", "/institutions/{0}", ["name", "provider", "environment", "status"]]],
  },
  "institutions rotate-notification-path": {
    final: FINALS["institutions.rotateNotificationPath"],
    about: [["institution", "/institutions/{0}", ["name", "provider", "environment", "status"]]],
  },
  "unmatched assign": receipt("The charge's merchant is credited; only a refund of the merchant gives it back."),
  "unmatched return": receipt("What was sent back is gone."),
  "unmatched retry": receipt("What was sent back is gone."),
  "cases propose": {
    final: FINALS["cases.propose"],
    about: [["case", "/cases/{0}", [...CASE[0]![2], "actions"]]],
  },
  "cases approve": {
    final: FINALS["cases.approve"],
    about: [["case", "/cases/{0}", ["proposal", ...CASE[0]![2]]]],
  },
  "balance-blocks create": { final: FINALS["balanceBlocks.create"], about: account },
  "balance-blocks resolve": { final: FINALS["balanceBlocks.resolve"], about: account },
  "restore finish": {
    final: FINALS["restore.finish"],
    about: [["restore", "/restore", ["restored", "says", "since", "undecided", "unconfirmed"]]],
  },
  "restore expect-failover": {
    final: "A copy of this database that starts meanwhile may pay what the original pays.",
    about: [["restore", "/restore", ["restored", "says", "since"]]],
  },
  "brakes set": {
    when: ({ paused }) => paused === false,
    final: "Everything that waited leaves within seconds.",
    about: [],
  },
  "treasury record": {
    final: FINALS["treasury.record"],
    about: [["institution", "/institutions/{institution}", ["name", "provider"]]],
  },
  "withdrawals approve": APPROVED,
  "withdrawals reject": ENDED,
  "withdrawals cancel": ENDED,
  "persons erase": { final: FINALS["persons.erase"], about: [] },
  "people remove": { final: FINALS["people.remove"], about: [] },
  "tokens revoke": { final: FINALS["tokens.revoke"], about: [] },
};
