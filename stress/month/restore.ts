import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifyBooks } from "../../gateway/src/auditor/verify-books.ts";
import { openDb } from "../../gateway/src/db/pool.ts";
import type { Clock } from "../../gateway/src/lib/clock.ts";
import { serve } from "../../gateway/src/program/serve.ts";
import { findBackups, onServer } from "../../gateway/test/harness/backup.ts";
import { wakeWhileWaiting } from "../../gateway/test/harness/eventually.ts";
import type { TestGateway } from "../../gateway/test/harness/gateway.ts";

export type RestoredGateway = { readonly gateway: TestGateway; stop(): Promise<void> };

/** Loops whose work must end before a day ends. */
const AWAITED = ["charges", "returns", "withdrawals", "received", "balances", "cases", "inbox"];

/**
 * Takes a backup of a gateway's database. @returns starts the gateway on the restored backup, at the same addresses.
 */
export async function takeBackup(gateway: TestGateway): Promise<(clock: Clock) => Promise<RestoredGateway>> {
  const { running, ownerUrl, databaseUrl, sandbox } = gateway;
  const server = process.env.PIXGATE_TEST_POSTGRES!;
  const backups = await findBackups(server);
  const folder = mkdtempSync(join(tmpdir(), "pixgate-month-"));
  await backups.take(ownerUrl, folder);
  return async (clock) => {
    await running.stop();
    const name = `test_${randomBytes(6).toString("hex")}`;
    const restoredUrl = await backups.restore(folder, name);
    rmSync(folder, { recursive: true, force: true });
    const own = new URL(databaseUrl);
    own.pathname = `/${name}`;
    const { config, log } = running.ctx;
    const ports = {
      port: Number(new URL(running.url).port),
      simulatorPort: Number(new URL(sandbox.simulatorUrl).port),
    };
    const again = await serve({ ...config, ...ports, databaseUrl: own.href }, log, { clock });
    const owner = openDb({ url: restoredUrl, max: 1, onError: () => {} });
    const endWakes = wakeWhileWaiting(() => {
      for (const loop of AWAITED) again.ctx.hints.wake(loop);
    });
    // A start on a restored copy logs an error.
    gateway.takeErrors();
    return {
      gateway: {
        ...gateway,
        running: again,
        owner,
        ownerUrl: restoredUrl,
        databaseUrl: own.href,
        verify: () => verify(again),
      },
      async stop() {
        endWakes();
        await again.stop();
        await owner.end();
        await onServer(server, (db) =>
          db.query({ text: `drop database if exists "${name}" with (force)`, values: [] }),
        );
      },
    };
  };
}

async function verify({ ctx }: TestGateway["running"]): Promise<void> {
  const { ok, violations } = await verifyBooks(ctx.db);
  if (!ok) throw new Error(`the books are broken: ${JSON.stringify(violations)}`);
}
