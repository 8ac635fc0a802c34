import { requireFresh, type Session } from "./session.ts";

/**
 * Whether a person confirms the sign-in within minutes before a call (403 `FRESH_SIGN_IN_REQUIRED`). What moves money, sends data to
 * a new place, shows a secret, takes something away or lifts a guard asks for it. Every route that changes something and that a person
 * may call says so: always, for some calls, or why not.
 */
export type Fresh =
  | true
  | { readonly when: string; asks(body: Readonly<Record<string, unknown>>, session: Session): boolean }
  | { readonly not: string };

/** Whether a person has anything to confirm a sign-in by. */
export const canConfirm = ({ hasPassword, hasPasskey, hasProvider }: Session): boolean =>
  hasPassword || hasPasskey || hasProvider;

/** Of what a person signs in by. Whoever has nothing of it could confirm nothing, and would be locked out. */
export const WHERE_ONE_CAN: Fresh = {
  when: "the person has something to confirm by",
  asks: (_body, session) => canConfirm(session),
};

/** 403 before the body is read, where the route always asks for a fresh sign-in. A token has none to confirm (null). */
export function requireFreshAlways({ fresh }: { readonly fresh?: Fresh }, session: Session | null, now: Date): void {
  if (session !== null && fresh === true) requireFresh(session, now);
}

/** 403 where the route asks for a fresh sign-in with such a body. */
export function requireFreshOf(
  { fresh }: { readonly fresh?: Fresh },
  session: Session | null,
  body: unknown,
  now: Date,
): void {
  if (session === null || fresh === undefined || fresh === true || !("asks" in fresh)) return;
  if (fresh.asks((body ?? {}) as Readonly<Record<string, unknown>>, session)) requireFresh(session, now);
}
