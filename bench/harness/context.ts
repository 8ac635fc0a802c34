import { randomBytes } from "node:crypto";
import pino from "pino";
import { type Context, createHints, systemClock } from "../../gateway/src/context.ts";
import { UNCHECKED_CLOCK } from "../../gateway/src/db/clock-check.ts";
import { ALONE } from "../../gateway/src/db/peers.ts";
import type { Db } from "../../gateway/src/db/pool.ts";
import { createAdmission } from "../../gateway/src/http/admission.ts";
import { createReads } from "../../gateway/src/http/reads.ts";
import { createTurns } from "../../gateway/src/http/turns.ts";
import { createUnread } from "../../gateway/src/http/unread.ts";
import { LIMITS } from "../../gateway/src/lib/limits.ts";
import { readConfig } from "../../gateway/src/settings/config.ts";
import { createMetrics } from "../../gateway/src/telemetry/metrics.ts";
import { NO_TRACING } from "../../gateway/src/telemetry/tracing.ts";
import { ids } from "./tenants.ts";

/** A context for parts that call no PSP and move no money: those are left out of it. */
export function contextOn(db: Db): Context {
  const keys = {
    tokens: randomBytes(32),
    sealing: randomBytes(32),
    notifications: randomBytes(32),
    auditLog: randomBytes(32),
    checkout: randomBytes(32),
    signIn: randomBytes(32),
    other: null,
  };
  const metrics = createMetrics();
  const parts: Omit<Context, "lanes" | "psps"> = {
    // The limit of attempts to one endpoint is not what is to be measured.
    config: { ...readConfig({}), webhookRules: "sandbox", webhookRate: 100_000 },
    ...{ db, history: db, whole: db, readiness: db },
    turns: createTurns(),
    reads: createReads({ most: LIMITS.readsOfAccount, waitMs: LIMITS.readsWait }),
    peers: ALONE,
    resolve: () => Promise.reject(new Error("no names here")),
    clock: systemClock,
    clockCheck: UNCHECKED_CLOCK,
    ids,
    random: (n) => randomBytes(n),
    keys,
    hints: createHints(),
    log: pino({ level: "error" }),
    metrics,
    admission: createAdmission({ most: 1_000, metrics, now: () => performance.now() }),
    unread: createUnread({ metrics }),
    bankUrl: null,
    phoneUrl: () => null,
    tracing: NO_TRACING,
  };
  return parts as Context;
}
