import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { type PublishedDocument, readDocument, routesOf } from "../harness/document.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { sendRequests } from "../hostile/requests.ts";
import { credentialOf, newAccount } from "./merchant.ts";
import { idsFor, makeObject } from "./objects.ts";
import type { FuzzRequest } from "./requests.ts";

/** PIXGATE_FUZZ_SEED repeats a run, PIXGATE_FUZZ_RUNS makes it longer. */
const SEED = Number(process.env.PIXGATE_FUZZ_SEED ?? randomInt(2 ** 31));

type Fuzz = {
  readonly runs: number;
  /** Objects of each kind to begin with: many calls end what one of them could still have been asked. */
  readonly each: number;
  /** Share of the routes that may leave every request unanswered or refused. */
  readonly neverWell: number;
};

/** Tests of one gateway that generated requests are sent to. */
export function describeFuzz({ runs, each, neverWell: share }: Fuzz): void {
  const many = Number(process.env.PIXGATE_FUZZ_RUNS ?? runs);
  describe("generated requests", () => {
    let gateway: TestGateway;
    let document: PublishedDocument;
    const tokens: Partial<Record<FuzzRequest["who"], string>> = {};
    /** Ids that answers have shown: requests name them. */
    const seen: string[] = [];
    const fitting = new Map<string, (readonly string[])[]>();

    before(async () => {
      gateway = await startGateway();
      document = await readDocument(`${gateway.running.url}/openapi.json`);
      const merchant = await credentialOf(gateway, gateway.sandbox.accountId);
      tokens.merchant = merchant.token;
      await merchant.post("/sub-accounts", { reference: "fuzz" });
      const permissions = ["ACCOUNT:READ", "TRANSACTION:READ"];
      tokens.reader = (
        await credentialOf(gateway, gateway.sandbox.accountId, { permissions, subAccountAccess: false })
      ).token;
      const suspended = await newAccount(gateway);
      tokens.suspended = (await credentialOf(gateway, suspended)).token;
      await gateway.operator.patch(`/accounts/${suspended}`, { status: "suspended" });
      tokens.stranger = "e.y.z";
      for (const path of new Set(routesOf(document).map((route) => route.path))) {
        if (!path.includes("{")) continue;
        const made: (readonly string[])[] = [];
        for (let i = 0; i < each; i += 1) made.push(idsFor(path, await makeObject(path, merchant)));
        fitting.set(path, made);
        seen.push(...made.flat());
      }
    });
    after(() => gateway.end());

    test(`${many} requests get published answers and nothing else (seed ${SEED})`, async (t) => {
      t.diagnostic(`PIXGATE_FUZZ_SEED=${SEED}`);
      const target = { url: gateway.running.url, document, tokens, seen, fitting };
      const { problems, neverWell, routes } = await sendRequests(target, { seed: SEED, runs: many });
      assert.deepEqual(problems, [], `PIXGATE_FUZZ_SEED=${SEED}`);
      // A few need an object in a state that chance rarely makes; reference.test.ts sends every route what it takes.
      assert.ok(
        neverWell.length <= routes.length * share,
        `too few routes have answered a request well: not ${neverWell.join(", ")}`,
      );
    });
  });
}
