/** Questions that are asked before commands that move money, or that cannot be undone. */
import type { Asks } from "./action.ts";

const ACCOUNT = ["name", "document", "status"];
const account: Asks["about"] = [["account", "/accounts/{0}", ACCOUNT]];

/** A withdrawal of either API, by its id. */
const WITHDRAWAL: Asks = {
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
};
const CASE: Asks["about"] = [
  ["case", "/cases/{0}", ["kind", "says", "amount", "accountId", "institutionId", "objectId", "evidence.says"]],
];
const RECEIPT = ["kind", "status", "amount", "payerName", "payerDocument", "paidAt", "institutionId", "accountId"];
const receipt = (final: string): Asks => ({ final, about: [["money", "/unmatched/{0}", RECEIPT]] });

/** The secret with which payers come back to the shop. */
const CHECKOUT: Asks = {
  about: [
    ["account", "/account", ["account.id", "account.name"]],
    ["settings", "/checkout/settings", ["displayName", "returnHosts"]],
  ],
};

/** Of the merchants' API, by operation. */
export const MERCHANT_ASKS: Readonly<Record<string, Asks>> = {
  "charges.cancel": {
    about: [["charge", "/transactions/{0}", ["status", "amount", "description", "externalReference"]]],
  },
  "withdrawals.create": {
    about: [["account", "/account", ["account.id", "account.name", "balance.available"]]],
  },
  "withdrawals.approve": WITHDRAWAL,
  "withdrawals.reject": WITHDRAWAL,
  "withdrawals.cancel": WITHDRAWAL,
  "withdrawals.checkReceiver": {
    about: [
      ["withdrawal", "/withdrawals/{0}", ["status", "netAmount", "snapshotHolderName", "receiverName", "paidToOther"]],
    ],
  },
  "refunds.create": {
    about: [
      ["payment", "/transactions/{0}", ["status", "amount", "counterpartName", "counterpartDocument", "description"]],
      ["account", "/account", ["account.id", "account.name"]],
    ],
  },
  "transfers.create": {
    about: [["account", "/account", ["account.id", "account.name", "balance.available"]]],
  },
  "balanceBlocks.defend": {
    about: [["block", "/balance-blocks/{0}", ["status", "amount", "blockType", "reason", "respondBy"]]],
  },
  "balanceBlocks.deleteFile": {
    about: [["file", "/balance-blocks/{0}/files/{1}", ["name", "mediaType", "size"]]],
  },
  "notes.delete": {
    about: [["charge", "/transactions/{0}", ["status", "amount", "description", "externalReference"]]],
  },
  "qrCodes.delete": {
    about: [["code", "/qr-codes/{0}", ["name", "kind", "status", "amount"]]],
  },
  "webhookEndpoints.delete": {
    about: [["endpoint", "/webhook-endpoints/{0}", ["url", "events", "enabled"]]],
  },
  "webhookEndpoints.rotateSecret": {
    about: [["endpoint", "/webhook-endpoints/{0}", ["url"]]],
  },
  "webhookEndpoints.finishRotation": {
    about: [["endpoint", "/webhook-endpoints/{0}", ["url"]]],
  },
  "checkoutSettings.rotateSecret": CHECKOUT,
  "checkoutSettings.finishRotation": CHECKOUT,
};

/** Of the operators' commands, by noun and verb. */
export const OPERATOR_ASKS: Readonly<Record<string, Asks>> = {
  "accounts adjust": { about: account },
  "accounts lift-freeze": { about: account },
  "credentials rotate": { about: account },
  "credentials revoke": { about: account },
  "institutions update": {
    when: ({ status }) => status === "retired",
    final: "A retired institution is neither polled nor reconciled any more.",
    about: [["institution", "/institutions/{0}", ["name", "provider", "environment", "status"]]],
  },
  "institutions rotate-notification-path": {
    about: [["institution", "/institutions/{0}", ["name", "provider", "environment", "status"]]],
  },
  "unmatched assign": receipt("The charge's merchant is credited; only a refund of the merchant gives it back."),
  "unmatched return": receipt("What was sent back is gone."),
  "unmatched retry": receipt("What was sent back is gone."),
  "unmatched take-back": receipt("The return cannot be written off again before it was retried."),
  "cases propose": {
    about: [["case", "/cases/{0}", [...CASE[0]![2], "actions"]]],
  },
  "cases approve": {
    about: [["case", "/cases/{0}", ["proposal", ...CASE[0]![2]]]],
  },
  "balance-blocks create": { about: account },
  "balance-blocks resolve": { about: account },
  "restore finish": {
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
    about: [["institution", "/institutions/{institution}", ["name", "provider"]]],
  },
  "withdrawals approve": WITHDRAWAL,
  "withdrawals reject": WITHDRAWAL,
  "withdrawals cancel": WITHDRAWAL,
  "persons erase": { about: [] },
  "people remove": { about: [] },
  "tokens revoke": { about: [] },
};
