import { instant, int, nullable, oneOf, type RowOf, table, text, uuid } from "../db/columns.ts";
import type { Peers } from "../db/peers.ts";
import type { Db } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { Clock } from "../lib/clock.ts";
import type { Keys } from "../lib/keys.ts";
import { LIMITS } from "../lib/limits.ts";
import { fromBrl } from "../lib/money.ts";
import { pause } from "../lib/pause.ts";
import { openSealed, seal } from "../lib/secrets.ts";
import type { Bank, PspEvent } from "../psp/bank.ts";
import type { Capabilities } from "../psp/capabilities.ts";
import { findBank } from "../psp/catalogue.ts";
import type { Psp } from "../psp/psp.ts";
import { withSoundTax } from "../psp/sound-tax.ts";
import { checkAddresses } from "./addresses.ts";
import { certificateExpiry } from "./client-certificate.ts";
import {
  abilitiesOf,
  bankSettings,
  type InstitutionConfig,
  type NotificationGuard,
  notificationGuard,
} from "./config.ts";
import { createHealth, type Health, type HealthState } from "./health.ts";
import { noteCall } from "./note-call.ts";
import { paced, tokenTurns } from "./pace.ts";

/** An institution with its adapter, ready to be called. */
export type Institution = {
  readonly institutionId: string;
  readonly name: string;
  readonly provider: string;
  /** The provider's entry in the catalogue. */
  readonly bank: Bank;
  readonly environment: "sandbox" | "production";
  /** `retired`: nothing is open there any more, and it is neither polled nor reconciled. */
  readonly status: "active" | "inactive" | "retired";
  /** Lowest first; in the answers of `linked` and `forAccount` the account's own. */
  readonly priority: number;
  /** Its part of what institutions of its priority share (share.ts); null: none. */
  readonly share: number | null;
  /** What it charges for a payout, centavos; null: not known. */
  readonly payoutTariff: number | null;
  /** Charges a second that may go there; null: no limit. */
  readonly capacityPerSecond: number | null;
  readonly cnpj: string | null;
  /** How often its notification path was rotated. */
  readonly notificationGeneration: number;
  /** What its notifications must have. */
  readonly guard: NotificationGuard;
  /** When our client certificate ends; null without one. */
  readonly certificateExpiresAt: Date | null;
  readonly psp: Psp;
  /** What it can do. */
  readonly can: Capabilities;
  readonly health: Health;
};

/**
 * The institutions of this installation, cached for at most a second. A change of another process within that second
 * refuses nothing: before `find` returns null, it reads the database.
 */
export type Psps = {
  find(institutionId: string): Promise<Institution | null>;
  /** The institution as the database has it now, not up to a second ago: read before a notification is refused. */
  findNow(institutionId: string): Promise<Institution | null>;
  /** Those that are not retired. */
  all(): Promise<readonly Institution[]>;
  /** Those that are enabled for an account, active or draining, by priority. */
  linked(accountId: string): Promise<readonly Institution[]>;
  /** Those that an account may use and that suit: enabled for it and active, by priority. */
  forAccount(accountId: string, suits?: (institution: Institution) => boolean): Promise<readonly Institution[]>;
  /** Drops the cache, because this process has just changed it. */
  forget(): void;
  /**
   * Builds an adapter and closes it again. Throws a TypeError that names a wrong setting.
   *
   * @param sent the settings that are new; the others were taken before. Left out: all are.
   */
  check(provider: string, config: InstitutionConfig, sent?: InstitutionConfig): void;
  close(): Promise<void>;
};

export const institutions = table({
  name: "institutions",
  key: ["institutionId"],
  columns: {
    institutionId: uuid,
    name: text,
    provider: text,
    environment: oneOf(["sandbox", "production"]),
    status: oneOf(["active", "inactive", "retired"]),
    priority: int,
    share: nullable(int),
    capacityPerSecond: nullable(int),
    cnpj: nullable(text),
    sealedConfig: text,
    notificationGeneration: int,
    createdAt: instant,
    updatedAt: instant,
  },
});
export type InstitutionRow = RowOf<typeof institutions.columns>;

type InstitutionName = { readonly institutionId: string; readonly name: string };

/** What institutions are made with. */
type Parts = {
  readonly db: Db;
  /** Shares the capacity of an institution among processes; left out: this process has all of it. */
  readonly peers?: Peers;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly ids: { uuid(): string };
  /** The addresses at which they may be reached; left out: any, also over http. */
  readonly permits?: ((address: string) => boolean) | undefined;
  /** The banks with an adapter. */
  readonly banks: readonly Bank[];
  /** Receives an event for each call of an adapter. */
  readonly onCall?: (provider: string, event: PspEvent, institutionId: string) => void;
  readonly onHealth?: (institution: InstitutionName, state: HealthState) => void;
  readonly onBroken?: (institution: InstitutionName, error: unknown) => void;
};

export function createPsps(parts: Parts): Psps {
  const { db, clock } = parts;
  const built = new Map<string, { updatedAt: number; institution: Institution }>();
  let cached: { readAt: number; list: Promise<readonly Institution[]> } | null = null;
  let before: Promise<unknown> = Promise.resolve();
  const links = createLinks(db, clock);

  async function read(): Promise<readonly Institution[]> {
    const { rows } = await db.query<InstitutionRow>(
      sql`select ${institutions.select()} from institutions order by priority, institution_id`,
    );
    return rows.flatMap((row) => {
      const known = built.get(row.institutionId);
      if (known?.updatedAt === row.updatedAt.getTime()) return [known.institution];
      const institution = open(parts, row);
      if (institution === null) return [];
      built.set(row.institutionId, { updatedAt: row.updatedAt.getTime(), institution });
      // Calls under way with the old configuration end by themselves.
      if (known) void known.institution.psp.close();
      return [institution];
    });
  }

  function everyOne(): Promise<readonly Institution[]> {
    const now = clock.now();
    if (cached && Math.abs(now - cached.readAt) < LIMITS.institutionCache) return cached.list;
    // One reading at a time: a slow one must not open again, in its older form, what a later one has opened.
    const list = before.then(read);
    before = list.catch(() => {
      if (cached?.list === list) cached = null;
    });
    cached = { readAt: now, list };
    return list;
  }

  const all = async () => (await everyOne()).filter(({ status }) => status !== "retired");
  const reread = sharedReread(() => {
    cached = null;
  });
  const inList = async (institutionId: string) =>
    (await everyOne()).find((institution) => institution.institutionId === institutionId) ?? null;
  const findNow = (institutionId: string) => reread().then(() => inList(institutionId));
  const linked = async (accountId: string) => inOrder(...(await Promise.all([all(), links.of(accountId)])));
  const usable = async (accountId: string, suits: (institution: Institution) => boolean) =>
    (await linked(accountId)).filter((institution) => institution.status === "active" && suits(institution));

  return {
    all,
    check: (...tried) => tryOut(parts, ...tried),
    find: async (institutionId) => (await inList(institutionId)) ?? findNow(institutionId),
    findNow,
    linked,
    async forAccount(accountId, suits = () => true) {
      const known = await usable(accountId, suits);
      if (known.length > 0) return known;
      await reread();
      links.forget(accountId);
      return usable(accountId, suits);
    },
    forget() {
      cached = null;
      links.forgetAll();
    },
    async close() {
      await Promise.all([...built.values()].map(({ institution }) => institution.psp.close()));
    },
  };
}

/**
 * Calls `forget` after at most `LIMITS.institutionReread`. Those who wait share one call, so that strangers who try paths cost
 * the database no more than one reading for each.
 */
function sharedReread(forget: () => void): () => Promise<void> {
  let waiting: Promise<void> | null = null;
  let lastAt = Number.NEGATIVE_INFINITY;
  return () => {
    waiting ??= pause(Math.max(0, lastAt + LIMITS.institutionReread - performance.now())).then(() => {
      waiting = null;
      lastAt = performance.now();
      forget();
    });
    return waiting;
  };
}

/** An institution that an account may use, and its priority there. */
type Linked = Pick<Institution, "institutionId" | "priority">;

/** The institutions of an account in its order, each with its priority there. */
const inOrder = (list: readonly Institution[], ordered: readonly Linked[]): readonly Institution[] =>
  ordered.flatMap(({ institutionId, priority }) =>
    list.filter((one) => one.institutionId === institutionId).map((one) => ({ ...one, priority })),
  );

/** The institutions that are enabled for an account and in its environment, by priority; at most a second old. */
function createLinks(db: Db, clock: Clock) {
  const links = new Map<string, { readAt: number; ordered: Promise<readonly Linked[]> }>();
  return {
    of(accountId: string): Promise<readonly Linked[]> {
      const now = clock.now();
      const before = links.get(accountId);
      if (before && Math.abs(now - before.readAt) < LIMITS.institutionCache) return before.ordered;
      const ordered = db
        .query<Linked>(sql`
          select ${institutions.select("i", ["institutionId"])}, coalesce(l.priority, i.priority) as priority from account_institutions l
          join accounts a on a.account_id = l.account_id
          join institutions i on i.institution_id = l.institution_id and i.environment = a.environment
          where l.account_id = ${accountId} and l.enabled order by coalesce(l.priority, i.priority), l.institution_id`)
        .then(({ rows }) => rows);
      ordered.catch(() => links.delete(accountId));
      if (links.size >= LIMITS.tokenCache) links.delete(links.keys().next().value as string);
      links.set(accountId, { readAt: now, ordered });
      return ordered;
    },
    forget: (accountId: string) => void links.delete(accountId),
    forgetAll: () => links.clear(),
  };
}

/** The institution of a row with its adapter; null where it cannot be used, so that the others still can. */
function open(parts: Parts, row: InstitutionRow): Institution | null {
  const { clock, ids } = parts;
  const { institutionId, name, provider, environment, status, priority, share } = row;
  let bank: Bank;
  let psp: Psp;
  let can: Capabilities;
  let guard: NotificationGuard;
  let certificateExpiresAt: Date | null;
  let payoutTariff: number | null;
  let health: Health | null = null;
  try {
    const config = openConfig(parts.keys, row);
    guard = notificationGuard(config);
    payoutTariff = fromBrl(config.payoutTariff ?? Number.NaN);
    certificateExpiresAt = certificateExpiry(config);
    bank = bankOf(parts, provider);
    const log = (event: PspEvent) => {
      if (health) noteCall(health, event);
      parts.onCall?.(provider, event, institutionId);
    };
    ({ psp, can } = build(parts, bank, config, log));
    psp = withSoundTax(paced(psp, can, parts));
    // In production nobody may play the payer.
    if (environment === "production") psp = { ...psp, sandbox: undefined, sandboxPayer: undefined };
  } catch (error) {
    parts.onBroken?.({ institutionId, name }, error);
    return null;
  }
  const { capacityPerSecond, cnpj, notificationGeneration } = row;
  // A new configuration starts with a new health: it may have repaired what failed.
  health = createHealth({
    clock,
    capacityPerSecond,
    issuesCharges: can.charges.length > 0,
    perMinute: can.perMinute?.charges,
    perSecond: can.perSecond?.charges,
    ...(parts.peers && { peers: parts.peers }),
    // Queries a charge that cannot exist: a working institution answers that it is absent.
    probe: async () =>
      (await psp.findCharge(`probe${ids.uuid().replaceAll("-", "").slice(0, 27)}`, "immediate")).kind !== "unknown",
    onChange: (state) => parts.onHealth?.({ institutionId, name }, state),
  });
  const settings = { institutionId, name, provider, environment, status, priority, share, capacityPerSecond, cnpj };
  return { ...settings, payoutTariff, notificationGeneration, bank, guard, certificateExpiresAt, psp, can, health };
}

function bankOf({ banks }: Parts, provider: string): Bank {
  const bank = banks.find(({ id }) => id === provider);
  if (bank === undefined) throw new TypeError(`provider: there is no adapter for ${provider}`);
  return bank;
}

/** The adapter of a bank, and what it can do. Throws a TypeError that names a wrong setting. */
function build(
  parts: Pick<Parts, "clock" | "permits" | "peers">,
  bank: Bank,
  config: InstitutionConfig,
  log: (event: PspEvent) => void = () => {},
): { readonly psp: Psp; readonly can: Capabilities } {
  const settings = bankSettings(config);
  const foreign = Object.keys(settings).find((name) => !Object.hasOwn(bank.settings.properties, name));
  if (foreign !== undefined) throw new TypeError(`${foreign}: is not a setting of ${bank.id}`);
  const { clock, permits } = parts;
  if (permits) checkAddresses(bank, config, permits);
  let turns: ReturnType<typeof tokenTurns> | undefined;
  const tokenTurn = (): boolean => {
    if (turns === undefined) turns = tokenTurns(abilitiesOf(bank, config), parts);
    return turns?.take() ?? true;
  };
  const psp = bank.create(settings, { clock, permits, log, tokenTurn });
  const can = abilitiesOf(bank, config);
  const undeclared = undeclaredOf(can, psp);
  if (undeclared !== undefined) throw new Error(`${bank.id}: its adapter and its capabilities differ in ${undeclared}`);
  return { psp, can };
}

/**
 * Builds an adapter with settings that are new or changed. Settings that an earlier version accepted are refused only here:
 * institutions that have them continue to work.
 */
function tryOut(parts: Parts, provider: string, config: InstitutionConfig, sent = config): void {
  const { psp, can } = build(parts, bankOf(parts, provider), config);
  void psp.close();
  const { pageSize = 0 } = bankSettings(sent);
  if (can.pageItems !== undefined && Number(pageSize) > can.pageItems) {
    throw new TypeError(`pageSize: a page of this bank has at most ${can.pageItems} items`);
  }
}

/** What an adapter can do and its bank does not declare, or the other way round. */
function undeclaredOf(can: Capabilities, psp: Psp): string | undefined {
  const pairs = {
    payouts: [can.payouts !== null, psp.payouts !== undefined],
    "payouts.listed": [can.payouts?.listed ?? false, psp.payouts?.listPayouts !== undefined],
    "payouts.authorised": [can.payouts?.authorised ?? false, psp.payouts?.authorisePayout !== undefined],
    balance: [can.balance, psp.balance !== undefined],
    infractions: [can.infractions, psp.infractions !== undefined],
    dueEdits: [can.dueEdits, psp.reviseCharge !== undefined],
    tills: [can.tills, psp.createLocation !== undefined],
    automatic: [can.automatic, false],
    staticCodes: [can.staticCodes, psp.staticCode !== undefined],
  };
  return Object.entries(pairs).find(([, [declared, has]]) => declared !== has)?.[0];
}

/** Seals a configuration for storage; it opens only for the same institution. */
export const sealConfig = (keys: Keys, institutionId: string, config: Record<string, unknown>): string =>
  seal(keys.sealing, JSON.stringify(config), institutionId);

/** The configuration of a row, opened. */
export const openConfig = (
  keys: Pick<Keys, "sealing" | "other">,
  row: Pick<InstitutionRow, "institutionId" | "sealedConfig">,
): InstitutionConfig => JSON.parse(openSealed(keys, row.sealedConfig, row.institutionId)) as InstitutionConfig;

/** What the institution of a row can do; null where this version has no adapter for its provider. */
export function capabilitiesOf(keys: Pick<Keys, "sealing" | "other">, row: InstitutionRow): Capabilities | null {
  const bank = findBank(row.provider);
  return bank === undefined ? null : abilitiesOf(bank, openConfig(keys, row));
}
