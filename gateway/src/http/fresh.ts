import { requireFresh, type Session } from "./session.ts";

/**
 * Whether a person must have confirmed the sign-in within the last minutes (403 `FRESH_SIGN_IN_REQUIRED`). Routes that move
 * money, send data to a new place, show a secret, remove something or lift a protection require it. Every changing route that a
 * person may call declares it: always, for some calls, or never with the reason.
 */
export type Fresh =
  | true
  | { readonly when: string; asks(body: Readonly<Record<string, unknown>>, session: Session): boolean }
  | { readonly not: string };

/** Whether a person has a way to confirm a sign-in. */
export const canConfirm = ({ hasPassword, hasPasskey, hasProvider }: Session): boolean =>
  hasPassword || hasPasskey || hasProvider;

/** For routes that change the ways to sign in: a person without any way could not confirm, and would be locked out. */
export const IF_CONFIRMABLE: Fresh = {
  when: "the person has something to confirm by",
  asks: (_body, session) => canConfirm(session),
};

/**
 * Refuses with 403 before the body is read, where the route always requires a fresh sign-in. A token (null) has no sign-in
 * to confirm.
 */
export function requireFreshAlways({ fresh }: { readonly fresh?: Fresh }, session: Session | null, now: Date): void {
  if (session !== null && fresh === true) requireFresh(session, now);
}

/** Refuses with 403 where the route requires a fresh sign-in for such a body. */
export function requireFreshOf(
  { fresh }: { readonly fresh?: Fresh },
  session: Session | null,
  body: unknown,
  now: Date,
): void {
  if (session === null || fresh === undefined || fresh === true || !("asks" in fresh)) return;
  if (fresh.asks((body ?? {}) as Readonly<Record<string, unknown>>, session)) requireFresh(session, now);
}
