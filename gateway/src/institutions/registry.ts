import { LIMITS } from "../config.ts";
import type { Db } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { Clock } from "../lib/clock.ts";
import type { Keys } from "../lib/keys.ts";
import { hmacSha256, openSealed, safeEqual, seal } from "../lib/secrets.ts";
import type { Psp } from "../psp/psp.ts";
import {
  adapterSettings,
  certificateExpiry,
  type InstitutionConfig,
  type NotificationGuard,
  notificationGuard,
} from "./config.ts";
import { createHealth, type Health, type HealthState } from "./health.ts";

/** An institution with its adapter, ready to be called. */
export type Institution = {
  readonly institutionId: string;
  readonly name: string;
  readonly provider: string;
  readonly environment: "sandbox" | "production";
  readonly status: "active" | "inactive";
  /** Lowest first. */
  readonly priority: number;
  /** Charges a second that it takes; null: no limit. */
  readonly capacityPerSecond: number | null;
  /** What its notifications must show. */
  readonly guard: NotificationGuard;
  /** When our client certificate ends; null without one. */
  readonly certificateExpiresAt: Date | null;
  readonly psp: Psp;
  readonly health: Health;
};

/** The kinds of institution there are an adapter for. */
export const PROVIDERS = ["simulator", "api-pix", "efi"] as const;
export type Provider = (typeof PROVIDERS)[number];

/** Makes the adapter of a provider from the (opened) configuration of an institution. */
type Adapters = Readonly<Record<Provider, (settings: Record<string, unknown>) => Psp>>;

/** The institutions of this installation, as the database has them (at most a second old). */
export type Psps = {
  find(institutionId: string): Promise<Institution | null>;
  all(): Promise<readonly Institution[]>;
  /** Those that an account may use: enabled for it and active, by priority. */
  forAccount(accountId: string): Promise<readonly Institution[]>;
  /** Forgets what was read: this process has just changed it. */
  forget(): void;
  /** An adapter of its own, for a trial; the caller closes it. Throws a TypeError that names a wrong setting. */
  build(provider: string, settings: Record<string, unknown>): Psp;
  close(): Promise<void>;
};

export type InstitutionRow = {
  institution_id: string;
  name: string;
  provider: string;
  environment: Institution["environment"];
  status: Institution["status"];
  priority: number;
  capacity_per_second: number | null;
  sealed_config: string;
  created_at: Date;
  updated_at: Date;
};

export function createPsps(options: {
  db: Db;
  clock: Clock;
  keys: Keys;
  ids: { uuid(): string };
  adapters: Adapters;
  onHealth?: (institution: { institutionId: string; name: string }, state: HealthState) => void;
  onBroken?: (institution: { institutionId: string; name: string }, error: unknown) => void;
}): Psps {
  const { db, clock, keys, ids, adapters, onHealth, onBroken } = options;
  const built = new Map<string, { updatedAt: number; institution: Institution }>();
  let known: { readAt: number; list: Promise<readonly Institution[]> } | null = null;
  const links = new Map<string, { readAt: number; ids: Promise<readonly string[]> }>();

  async function read(): Promise<readonly Institution[]> {
    const { rows } = await db.query<InstitutionRow>(sql`select * from institutions order by priority, institution_id`);
    return rows.flatMap((row) => {
      const before = built.get(row.institution_id);
      if (before?.updatedAt === row.updated_at.getTime()) return [before.institution];
      const institution = open(row);
      if (institution === null) return [];
      built.set(row.institution_id, { updatedAt: row.updated_at.getTime(), institution });
      // Calls under way with the old configuration end by themselves.
      if (before) void before.institution.psp.close();
      return [institution];
    });
  }

  /** Null for one that cannot be used: it must not take the others with it. */
  function open(row: InstitutionRow): Institution | null {
    const { institution_id: institutionId, name, provider, environment, status, priority } = row;
    let psp: Psp;
    let guard: NotificationGuard;
    let certificateExpiresAt: Date | null;
    try {
      const config = openConfig(keys, row);
      guard = notificationGuard(config);
      certificateExpiresAt = certificateExpiry(config);
      psp = build(provider, adapterSettings(config));
      // In production nobody plays the payer.
      if (environment === "production") psp = { ...psp, sandbox: undefined };
    } catch (error) {
      onBroken?.({ institutionId, name }, error);
      return null;
    }
    const { capacity_per_second: capacityPerSecond } = row;
    // A new configuration begins anew: what failed may have been mended by it.
    const health = createHealth({
      clock,
      capacityPerSecond,
      // A charge that cannot exist: the answer is that it is absent.
      probe: async () =>
        (await psp.findCharge(`probe${ids.uuid().replaceAll("-", "").slice(0, 27)}`)).kind !== "unknown",
      onChange: (state) => onHealth?.({ institutionId, name }, state),
    });
    const known = { institutionId, name, provider, environment, status, priority, capacityPerSecond };
    return { ...known, guard, certificateExpiresAt, psp, health };
  }

  function build(provider: string, settings: Record<string, unknown>): Psp {
    const adapter = (adapters as Readonly<Record<string, Adapters[Provider] | undefined>>)[provider];
    if (!adapter) throw new TypeError(`provider: there is no adapter for ${provider}`);
    return adapter(settings);
  }

  function all(): Promise<readonly Institution[]> {
    const now = clock.now();
    if (known && Math.abs(now - known.readAt) < LIMITS.institutionCache) return known.list;
    const list = read();
    known = { readAt: now, list };
    list.catch(() => {
      known = null;
    });
    return list;
  }

  function linkedTo(accountId: string): Promise<readonly string[]> {
    const now = clock.now();
    const before = links.get(accountId);
    if (before && Math.abs(now - before.readAt) < LIMITS.institutionCache) return before.ids;
    const ids = db
      .query<{ institution_id: string }>(sql`
        select l.institution_id from account_institutions l join institutions i on i.institution_id = l.institution_id
        where l.account_id = ${accountId} and l.enabled order by coalesce(l.priority, i.priority), l.institution_id`)
      .then(({ rows }) => rows.map((row) => row.institution_id));
    ids.catch(() => links.delete(accountId));
    if (links.size >= LIMITS.tokenCache) links.delete(links.keys().next().value as string);
    links.set(accountId, { readAt: now, ids });
    return ids;
  }

  return {
    all,
    build,
    async find(institutionId) {
      return (await all()).find((institution) => institution.institutionId === institutionId) ?? null;
    },
    async forAccount(accountId) {
      const [list, ids] = await Promise.all([all(), linkedTo(accountId)]);
      return ids.flatMap((id) => list.filter((i) => i.institutionId === id && i.status === "active"));
    },
    forget() {
      known = null;
      links.clear();
    },
    async close() {
      await Promise.all([...built.values()].map(({ institution }) => institution.psp.close()));
    },
  };
}

/** Seals a configuration for storage; it opens only for the same institution. */
export const sealConfig = (keys: Keys, institutionId: string, config: Record<string, unknown>): string =>
  seal(keys.sealing, JSON.stringify(config), institutionId);

/** The configuration of a row, opened. */
export const openConfig = (
  keys: Pick<Keys, "sealing" | "other">,
  row: Pick<InstitutionRow, "institution_id" | "sealed_config">,
): InstitutionConfig => JSON.parse(openSealed(keys, row.sealed_config, row.institution_id)) as InstitutionConfig;

/** The secret part of the path that an institution's PSP sends its notifications to. Derived: nothing to store or leak. */
const notificationSecret = (keys: Pick<Keys, "notifications">, institutionId: string): string =>
  hmacSha256(keys.notifications, institutionId).toString("base64url");

/** Whether a path's secret is the institution's; that of a master key which is being exchanged too. */
export const isNotificationSecret = (keys: Keys, institutionId: string, secret: string): boolean =>
  safeEqual(secret, notificationSecret(keys, institutionId)) ||
  (keys.other !== null && safeEqual(secret, notificationSecret(keys.other, institutionId)));

/** Path below the gateway's address that the PSP is told; it may append `/pix` itself. */
export const notificationPath = (keys: Keys, institutionId: string): string =>
  `/psp/${institutionId}/${notificationSecret(keys, institutionId)}`;
