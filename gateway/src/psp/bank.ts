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
  /** The same in Portuguese, for `docs/pt-BR/bancos.md`. */
  readonly summaryPt: string;
  /** Banks that its setting `profile` knows by name; left out: it is one bank. */
  readonly profiles?: readonly BankProfile[];
  /**
   * The settings of an institution of this bank. Every field is optional, because a profile may set it; `create` reports
   * missing ones. A field with `writeOnly` is sealed and never shown.
   */
  readonly settings: TObject;
  /** What the console asks for when an institution is added, in this order; settings that it leaves out have good defaults. */
  readonly form: readonly FormField[];
  /** Settings without which it only receives, although it can pay out: an example of each. Left out: there are none. */
  readonly paysWith?: Readonly<Record<string, unknown>>;
  /** How our address for notifications reaches the bank; left out: the connection test registers it. */
  readonly notified?: Words;
  /**
   * Settings that decide who gets the secrets: addresses, a profile (which contains addresses), whom TLS trusts. A change
   * of one must send the secrets again (institutions/addresses.ts).
   */
  readonly destinations: readonly string[];
  /**
   * Names that the account at the bank has beside its PIX key, by settings with which `create` works. No two institutions may
   * share a name. A name that ends with `*` stands for every name with this beginning, where the settings do not tell which.
   * Left out or none: the PIX key alone names the account, or where the bank knows no keys, its secrets.
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

/** A text for people, in the languages of the console. */
type Words = { readonly en: string; readonly pt: string };

/** A field of the form by which a person adds an institution. */
export type FormField = {
  /** The setting that it fills in. */
  readonly setting: string;
  readonly kind: "text" | "email" | "secret" | "number" | "yes_no" | "file" | "file_base64";
  readonly required: boolean;
  readonly label: Words;
  /** What a person must know to fill it in. */
  readonly help?: Words;
  /** Of a setting with texts by name, such as headers: the name of the one that it fills in. */
  readonly entry?: string;
  /** Of a file: the endings of its name that a browser offers. */
  readonly accept?: string;
};

/** A bank whose addresses and habits an adapter knows. */
type BankProfile = {
  /** Value of the setting `profile`. */
  readonly profile: string;
  readonly name: string;
  /** Whether `profile` with `-sandbox` is its sandbox. */
  readonly sandbox: boolean;
  /** Every scope that the adapter uses there, where the operator chooses some. The documents show what the bank can do with all. */
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
  /** Why there is no answer. */
  readonly reason?: string;
  readonly httpStatus?: number;
  readonly durationMs?: number;
};
