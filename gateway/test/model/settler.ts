import { randomBytes } from "node:crypto";
import { expireCharge } from "../../src/charges/expire.ts";
import { settleCharge } from "../../src/charges/settle.ts";
import type { Settled } from "../../src/charges/settlement.ts";
import { useCluster } from "../../src/db/cluster/map.ts";
import { openDb } from "../../src/db/pool.ts";
import { createLanes } from "../../src/ledger/lane.ts";
import { createIds } from "../../src/lib/ids.ts";
import type { PspPix } from "../../src/psp/psp.ts";

/** A command as the test sends it to a process; dates are texts on the way. */
export type WireCommand =
  | {
      readonly do: "settle";
      readonly accountId: string;
      readonly chargeId: string;
      readonly institutionId: string;
      readonly pix: Omit<PspPix, "paidAt"> & { paidAt: string };
    }
  | { readonly do: "expire"; readonly accountId: string; readonly chargeId: string };

export type WireResult = { readonly e2eId: string; readonly outcome: string; readonly already: boolean };

/** A process with lanes of its own on a shared database: runs the commands it is sent, many at once, and reports. */
process.once("message", async ({ url, commands }: { url: string; commands: WireCommand[] }) => {
  const db = openDb({ url, max: 4, onError: () => {} });
  await useCluster(db);
  const ids = createIds({ now: Date.now, random: (n) => randomBytes(n) });
  const lanes = createLanes({ db, now: () => new Date(), newId: () => ids.uuid() });
  const results: WireResult[] = [];
  const environment = "sandbox";
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      for (let command = commands.pop(); command; command = commands.pop()) {
        const { accountId, chargeId } = command;
        if (command.do === "expire") {
          await lanes.run(expireCharge, { accountId, chargeId, environment });
          continue;
        }
        const pix: PspPix = { ...command.pix, paidAt: new Date(command.pix.paidAt) };
        const settled: Settled = await lanes.run(settleCharge, {
          accountId,
          chargeId,
          institutionId: command.institutionId,
          environment,
          pix,
        });
        results.push({ e2eId: pix.e2eId, ...settled });
      }
    }),
  );
  await db.end();
  process.send!(results, () => process.exit(0));
});
