import { bigint, boolean, instant, int, json, nullable, type RowOf, table, text, uuid } from "../db/columns.ts";
import type { Place } from "../psp/list-window.ts";

/** How far the listing of an institution came. */
export type ReturnsProgress = Place & {
  /** Where the listing begins, milliseconds since 1970. */
  readonly since: number;
  /** It had items that could not be read. */
  readonly unreadable: boolean;
  /** It skipped a window that the institution does not answer for. */
  readonly unanswered: boolean;
  /** The institution refuses everything before this as too old, milliseconds since 1970; null: it refused nothing. */
  readonly refusedUntil: number | null;
  /** The position at which this night's calls began. */
  readonly night: string;
};

/** Until when an institution's received Pix were listed, and how far the nightly listing of its returns came. */
export const receivedPolls = table({
  name: "received_polls",
  key: ["institutionId"],
  columns: {
    institutionId: uuid,
    coveredUntil: instant,
    nextAt: instant,
    standsSince: nullable(instant),
    returnsNextAt: nullable(instant),
    returnsBeganAt: nullable(instant),
    returnsPlace: nullable(json<ReturnsProgress>()),
    returnsCalls: int,
  },
});
export type ReceivedPollRow = RowOf<typeof receivedPolls.columns>;

/** Until when an institution's MED cases were listed. */
export const infractionPolls = table({
  name: "infraction_polls",
  key: ["institutionId"],
  columns: { institutionId: uuid, coveredUntil: instant, wholeAt: nullable(instant), nextAt: instant },
});
export type InfractionPollRow = RowOf<typeof infractionPolls.columns>;

/**
 * An institution's MED cases, each with the outcome of applying it. The rows belong to the house account; `tenantId` is the
 * account that has the Pix.
 */
export const pspCases = table({
  name: "psp_cases",
  key: ["accountId", "institutionId", "caseId"],
  columns: {
    accountId: uuid,
    institutionId: uuid,
    caseId: text,
    tenantId: nullable(uuid),
    e2eId: text,
    status: text,
    openedAt: nullable(instant),
    outcome: text,
    done: boolean,
    closed: boolean,
    seenAt: instant,
    amount: nullable(bigint),
  },
});
export type PspCaseRow = RowOf<typeof pspCases.columns>;
