/** What the folder of a bank (`psp/<id>/bank.ts`) gives to the rest of the gateway. Types only. */
import type { TObject } from "typebox";
import type { Psp } from "./psp.ts";

export type Bank<Id extends string = string> = {
  /** Value of an institution's `provider`, and name of the folder. */
  readonly id: Id;
  /** For people. */
  readonly name: string;
  /** Half a sentence for choosing a provider: what it is and what it can do. */
  readonly summary: string;
  /**
   * The settings of an institution of this bank. Every field is optional, because a profile may know it; `create` reports
   * what is missing. A field with `writeOnly` is sealed and never shown.
   */
  readonly settings: TObject;
  /**
   * Settings that decide who gets the secrets: addresses, a profile (which has addresses), whom TLS trusts. Who changes one
   * must send the secrets again (institutions/addresses.ts).
   */
  readonly destinations: readonly string[];
  /** True where no real money moves: refused in production. */
  readonly simulated: boolean;
  /** Amount of the charge that the connection test issues and removes, centavos. */
  readonly trialAmount: number;
  /** Makes the adapter. Throws a TypeError (`name: what is wrong with it`) on settings that cannot work. */
  create(settings: Readonly<Record<string, unknown>>, deps: BankDeps): Psp;
};

/** What an adapter gets beside its settings. */
type BankDeps = {
  /** Milliseconds since the epoch. */
  readonly clock: { now(): number };
  /** Whether a connection may go to an address; left out: to any. */
  readonly permits?: ((address: string) => boolean) | undefined;
  /** Receives an event for each call; events hold no secret, token, name, document or id. */
  readonly log: (event: PspEvent) => void;
};

/** What an adapter reports of a call (`psp_call`), of a token (`psp_token`) or of an answer (`psp_dropped`). */
export type PspEvent = {
  readonly event: string;
  readonly route?: string;
  readonly outcome?: string;
  readonly httpStatus?: number;
  readonly durationMs?: number;
};
