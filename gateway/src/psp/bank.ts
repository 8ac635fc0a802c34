/** What the folder of a bank (`psp/<id>/bank.ts`) provides to the gateway. Types only. */
import type { TObject } from "typebox";
import type { Capabilities } from "./capabilities.ts";
import type { Psp } from "./psp.ts";

export type Bank<Id extends string = string> = {
  /** Value of an institution's `provider`, and name of the folder. */
  readonly id: Id;
  /** Its name for people. */
  readonly name: string;
  /** A short description for choosing a provider: what it is and what it can do. */
  readonly summary: string;
  /** Banks that its setting `profile` knows by name; left out: it is one bank. */
  readonly profiles?: readonly BankProfile[];
  /**
   * The settings of an institution of this bank. Every field is optional, because a profile may set it; `create` reports
   * missing ones. A field with `writeOnly` is sealed and never shown.
   */
  readonly settings: TObject;
  /**
   * Settings that decide who gets the secrets: addresses, a profile (which contains addresses), whom TLS trusts. A change
   * of one must send the secrets again (institutions/addresses.ts).
   */
  readonly destinations: readonly string[];
  /**
   * What the account at the bank is known by beside its PIX key, of settings with which `create` works: no two institutions may share
   * a name. One that ends with `*` stands for all that begin so: which of them it is is not known. Left out or none: the PIX key
   * alone, or where the bank knows no keys, its secrets.
   */
  account?(settings: Readonly<Record<string, unknown>>): string | readonly string[];
  /** Moves no real money, so it is refused in production. */
  readonly simulated: boolean;
  /** Amount of the charge that the connection test issues and removes, centavos. */
  readonly trialAmount: number;
  /** What an institution with these settings can do. */
  capabilities(settings: Readonly<Record<string, unknown>>): Capabilities;
  /** Makes the adapter. Throws a TypeError (`name: what is wrong with it`) on settings that cannot work. */
  create(settings: Readonly<Record<string, unknown>>, deps: BankDeps): Psp;
};

/** A bank whose addresses and habits an adapter knows. */
type BankProfile = {
  /** Value of the setting `profile`. */
  readonly profile: string;
  readonly name: string;
  /** Whether `profile` with `-sandbox` is its sandbox. */
  readonly sandbox: boolean;
  /** Every scope that the adapter uses there, where some are the operator's choice; what it can do is shown with these. */
  readonly scope?: string;
};

/** What an adapter gets beside its settings. */
export type BankDeps = {
  /** Milliseconds since the epoch. */
  readonly clock: { now(): number };
  /**
   * Takes the turn of a token call within what the bank's rules allow (`perMinute.tokens`): false, it must not leave now. Left out:
   * no limit is known.
   */
  readonly tokenTurn?: (() => boolean) | undefined;
  /** Whether a connection may go to an address; left out: to any. */
  readonly permits?: ((address: string) => boolean) | undefined;
  /** Receives an event for each call; events hold no secret, token, name, document or id. */
  readonly log: (event: PspEvent) => void;
};

/** An adapter's report of a call (`psp_call`), of a token (`psp_token`) or of an incomplete answer (`psp_dropped`). */
export type PspEvent = {
  readonly event: string;
  readonly route?: string;
  readonly outcome?: string;
  readonly httpStatus?: number;
  readonly durationMs?: number;
};
