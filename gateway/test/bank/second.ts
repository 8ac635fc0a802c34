/** A second bank beside the world's own, which may say what it likes about Pix of the first. */
import assert from "node:assert/strict";
import { join } from "node:path";
import pino from "pino";
import { sql } from "../../src/db/sql.ts";
import { startSimulator } from "../../src/sandbox/simulator.ts";
import { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import type { World } from "./world.ts";

type Case = {
  id: string;
  kind: string;
  objectId: string;
  institutionId?: string;
  evidence: { says: string; data: Record<string, unknown> };
};

export type SecondBank = Awaited<ReturnType<typeof startSecondBank>>;

/** It sends no notifications: what it shows is polled when a test asks for it. */
export async function startSecondBank(world: World) {
  const { gateway, ctx } = world;
  const dataDir = join(gateway.dataDir, "second");
  const simulator = await startSimulator({ host: "127.0.0.1", port: 0, dataDir, log: pino({ level: "silent" }) });
  const { url, credentials } = simulator;
  const { clientId, clientSecret, pixKey, controlToken } = credentials;
  const made = await gateway.operator.post<{ id: string }>("/institutions", {
    ...{ name: "Second", provider: "simulator", environment: "sandbox", priority: 300 },
    config: {
      ...{ baseUrl: `${url}/v2`, tokenUrl: `${url}/oauth/token`, controlUrl: `${url}/control` },
      ...{ clientId, clientSecret, pixKey, controlToken },
    },
  });
  assert.equal(made.status, 201, made.text);
  const { id: institutionId } = made.body;
  const client = new Client(`${url}/control`).withToken(controlToken);
  const control = async <T>(path: string, body: unknown = {}): Promise<T> => {
    const reply = await client.post<T>(path, body);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  assert.equal((await client.patch("/behaviour", { autoNotify: false })).status, 200);
  return {
    institutionId,
    control,
    /** Lists what it received once. */
    async pollReceived() {
      const due = new Date(ctx.clock.now());
      await world.db().query(sql`
        insert into received_polls (institution_id, covered_until, next_at) values (${institutionId}, ${due}, ${due})
        on conflict (institution_id) do update set next_at = excluded.next_at`);
      ctx.hints.wake("received");
      await eventually("the list of the second bank", async () => {
        const { rows } = await world.db().query<{ next_at: Date }>(sql`
          select next_at from received_polls where institution_id = ${institutionId}`);
        // Claimed, it is due in two minutes; listed, in twenty seconds.
        const after = rows[0]!.next_at.getTime() - due.getTime();
        return after > 0 && after < 60_000;
      });
    },
    /** Lists its MED cases once. */
    async pollCases() {
      const due = new Date(ctx.clock.now());
      await world.db().query(sql`
        insert into infraction_polls (institution_id, covered_until, next_at) values (${institutionId}, ${due}, ${due})
        on conflict (institution_id) do update set next_at = excluded.next_at`);
      ctx.hints.wake("infractions");
      await eventually("the cases of the second bank", async () => {
        const { rowCount } = await world.db().query(sql`
          select from infraction_polls where institution_id = ${institutionId} and covered_until > ${due}`);
        return rowCount > 0;
      });
    },
    /** How many lines there are at it, in every account's books. */
    async lines(): Promise<number> {
      const { rowCount } = await world.db().query(sql`
        select from ledger_accounts a join ledger_lines l on l.account_id = a.account_id and l.no = a.no
        where a.kind = 'psp' and a.owner_id = ${institutionId}`);
      return rowCount;
    },
    /** The open cases about it. */
    async cases(): Promise<Case[]> {
      const reply = await gateway.operator.get<{ items: Case[] }>(
        `/cases?status=open&institutionId=${institutionId}&limit=100`,
      );
      assert.equal(reply.status, 200, reply.text);
      return reply.body.items;
    },
    stop: () => simulator.stop(),
  };
}
