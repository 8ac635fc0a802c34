#!/usr/bin/env node
/** `npx @pixgate/conformance --base-url … --client-id … --client-secret …` */

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { connect } from "./client.ts";
import { conforms, jsonOf, junitOf, lineOf, summaryOf } from "./report.ts";
import { runChecks } from "./run.ts";

const HELP = `Checks whether an implementation of the payment service interface does what the interface says.

  pixgate-conformance --base-url https://…/v2 --client-id … --client-secret …

  --base-url       address that ends in /v2              (or CONFORMANCE_BASE_URL)
  --client-id      a credential with FULL_ACCESS and     (or CONFORMANCE_CLIENT_ID)
  --client-secret  sub-account access, of a sandbox      (or CONFORMANCE_CLIENT_SECRET)
  --restricted-id, --restricted-secret             a credential that may only read transactions, without sub-account
                                                   access (or CONFORMANCE_RESTRICTED_ID, CONFORMANCE_RESTRICTED_SECRET)
  --money          also send money out: less than R$ 20.00
  --no-webhooks    deliveries cannot reach this machine: skip what needs them
  --only TEXT      only checks whose id contains it
  --json FILE      report as JSON
  --junit FILE     report as JUnit's XML

It makes charges, projects and sub-accounts, and leaves them. Exit code: 0 conforms, 1 does not, 2 wrong arguments.
What needs a call of Pixgate's own (a payer who pays, the registration of a receiver) is skipped elsewhere. A receiver
that was registered and to which nothing comes is a failure.
`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      "base-url": { type: "string", default: process.env.CONFORMANCE_BASE_URL ?? "" },
      "client-id": { type: "string", default: process.env.CONFORMANCE_CLIENT_ID ?? "" },
      "client-secret": { type: "string", default: process.env.CONFORMANCE_CLIENT_SECRET ?? "" },
      "restricted-id": { type: "string", default: process.env.CONFORMANCE_RESTRICTED_ID ?? "" },
      "restricted-secret": { type: "string", default: process.env.CONFORMANCE_RESTRICTED_SECRET ?? "" },
      money: { type: "boolean", default: false },
      "no-webhooks": { type: "boolean", default: false },
      only: { type: "string", default: "" },
      json: { type: "string" },
      junit: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const { "base-url": baseUrl, "client-id": clientId, "client-secret": clientSecret } = values;
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  if (!baseUrl || !clientId || !clientSecret) {
    console.error(HELP);
    return 2;
  }
  const { "restricted-id": restrictedId, "restricted-secret": restrictedSecret } = values;
  const target = {
    client: connect(baseUrl, clientId, clientSecret),
    restricted: restrictedId && restrictedSecret ? connect(baseUrl, restrictedId, restrictedSecret) : null,
    clientId,
    clientSecret,
    money: values.money,
    webhooks: !values["no-webhooks"],
  };
  const outcomes = await runChecks(
    target,
    (id) => id.includes(values.only),
    (outcome) => console.log(lineOf(outcome)),
  );
  console.log(`\n${summaryOf(outcomes)}`);
  if (values.json) writeFileSync(values.json, jsonOf(baseUrl, outcomes));
  if (values.junit) writeFileSync(values.junit, junitOf(outcomes));
  return conforms(outcomes) ? 0 : 1;
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 2;
});
