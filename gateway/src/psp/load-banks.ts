/**
 * Banks of the operator's own, from packages or files beside the gateway (`PIXGATE_BANKS`). docs/writing-a-bank.md explains how
 * to write one. Such a module runs with all rights of the gateway, so only somebody who sets its environment can add one.
 */
import { createRequire } from "node:module";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type TSchema, Type } from "typebox";
import type { Bank, BankDeps } from "./bank.ts";
import type { Capabilities } from "./capabilities.ts";
import { formOf } from "./form.ts";
import { createOutbound, type Outbound, type OutboundOptions } from "./outbound.ts";
import type { Psp } from "./psp.ts";

/** Version of the interface. Every change with which an older package no longer works increases it. */
const INTERFACE = 1;

/** What a module exports as `bank`: a `Bank` whose settings are plain JSON Schema, and that gets its connections from us. */
type PackagedBank = Omit<Bank, "settings" | "create" | "profiles" | "summaryPt" | "form" | "paysWith" | "notified"> & {
  /** Version of the interface (docs/writing-a-bank.md) for which it was written. */
  readonly interface: number;
  /** Schema of each setting; `true`: the setting of this name that built-in banks have. */
  readonly settings: Readonly<Record<string, object | true>>;
  create(settings: Readonly<Record<string, unknown>>, deps: PackagedDeps): Psp;
};

/** What such an adapter gets: `connect` is the only way to its bank that knows whether a byte has left. */
type PackagedDeps = BankDeps & { connect(options: Omit<OutboundOptions, "permits">): Outbound };

type Check = (value: unknown) => boolean;

const isFlag: Check = (value) => typeof value === "boolean";
const isText: Check = (value) => typeof value === "string" && value.trim() !== "" && value.length <= 500;
const isAmount: Check = (value) => Number.isSafeInteger(value) && (value as number) > 0;
const isFunction: Check = (value) => typeof value === "function";
const oneOf =
  (...words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value);
const listOf =
  (is: Check, least = 0): Check =>
  (value) =>
    Array.isArray(value) && value.length >= least && value.every(is);
/** Accepts a missing part too: the package was written for a version before this part. */
const orLeftOut =
  (is: Check): Check =>
  (value) =>
    value === undefined || (value !== null && is(value));
const orNull =
  (is: Check): Check =>
  (value) =>
    value === null || is(value);

const PARTS: Readonly<Record<Exclude<keyof PackagedBank, "interface" | "settings">, Check>> = {
  id: (value) => typeof value === "string" && /^[a-z][a-z0-9-]{1,39}$/.test(value),
  name: isText,
  summary: isText,
  destinations: listOf(isText, 1),
  account: orLeftOut(isFunction),
  simulated: isFlag,
  trialAmount: isAmount,
  capabilities: isFunction,
  create: isFunction,
};

type NumberRange = { readonly first?: unknown; readonly last?: unknown };

const PAYOUTS: Readonly<Record<keyof NonNullable<Capabilities["payouts"]>, Check>> = {
  to: listOf(oneOf("key", "account", "qr_code"), 1),
  holderChecked: isFlag,
  foundBy: oneOf("our_id", "bank_id"),
  repeat: oneOf("our_id", "list_first"),
  remembered: oneOf("for_ever", "unknown"),
  authorised: isFlag,
  listed: isFlag,
  approvedAtBank: isFlag,
  numbers: orLeftOut((value) => isAmount((value as NumberRange).first) && isAmount((value as NumberRange).last)),
};

const DEFENCE: Readonly<Record<keyof NonNullable<Capabilities["defence"]>, Check>> = {
  deadline: oneOf("shown", "not_shown"),
  evidence: oneOf("text", "document"),
};

const CAPABILITIES: Readonly<Record<keyof Capabilities, Check>> = {
  charges: listOf(oneOf("immediate", "due")),
  chargesShown: oneOf("always", "once_paid"),
  dueEdits: isFlag,
  receivedList: oneOf("all", "charges_only"),
  staticCodes: isFlag,
  tills: isFlag,
  automatic: orLeftOut(isFlag),
  payers: oneOf("in_notifications", "varies", "never"),
  returns: oneOf("whole", "parts"),
  tariffs: isFlag,
  balance: isFlag,
  infractions: isFlag,
  precautionaryBlocks: orLeftOut((value) => value === true),
  payouts: orNull((value) => wrongPart(value, PAYOUTS) === undefined),
  maxAmount: orNull(isAmount),
  sandboxPayment: oneOf("by_command", "by_itself", "none"),
  perMinute: orLeftOut((value) => Object.values(value as object).every(isAmount)),
  perSecond: orLeftOut((value) => Object.values(value as object).every(isAmount)),
  pageItems: orLeftOut(isAmount),
  zone: orLeftOut(oneOf("written", "brasilia")),
  defence: orLeftOut((value) => wrongPart(value, DEFENCE) === undefined),
  unverified: listOf(isText),
};

/** The first part that is missing or of another form. */
function wrongPart(value: unknown, parts: Readonly<Record<string, Check>>): string | undefined {
  const given = (typeof value === "object" && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
  return Object.keys(parts).find((name) => !parts[name]!(given[name]));
}

/**
 * The banks that these modules export, in their order. Throws an error of one line that names the module and what is wrong
 * with it.
 *
 * @param list names of packages or paths, separated by commas; empty: none.
 * @param builtIn whose ids nobody else may have, and whose settings a module may take over.
 * @param folder from where packages and relative paths are found.
 */
export async function loadBanks(
  list: string | undefined,
  builtIn: readonly Bank[],
  folder: string,
): Promise<readonly Bank[]> {
  const banks: Bank[] = [];
  for (const name of (list ?? "").split(",").map((part) => part.trim())) {
    if (name === "") continue;
    try {
      banks.push(toBank(await load(name, folder), builtIn, banks));
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message.split("\n")[0]}`);
    }
  }
  return banks;
}

async function load(name: string, folder: string): Promise<unknown> {
  const isPath = isAbsolute(name) || /^\.\.?(?:\/|$)/.test(name);
  const file = createRequire(join(folder, "x")).resolve(isPath && !isAbsolute(name) ? join(folder, name) : name);
  const { bank } = (await import(pathToFileURL(file).href)) as { readonly bank?: unknown };
  if (typeof bank !== "object" || bank === null) throw new TypeError("exports no `bank`");
  return bank;
}

function toBank(exported: unknown, builtIn: readonly Bank[], before: readonly Bank[]): Bank {
  const own = exported as PackagedBank;
  if (own.interface !== INTERFACE)
    throw new TypeError(`is written for interface ${String(own.interface)}, and this version has ${INTERFACE}`);
  const wrong = wrongPart(own, PARTS);
  if (wrong !== undefined) throw new TypeError(`\`${wrong}\` of its bank is missing or wrong`);
  if ([...builtIn, ...before].some(({ id }) => id === own.id)) throw new TypeError(`there is a bank ${own.id} already`);
  const settings = settingsOf(own.settings, builtIn);
  const unknown = own.destinations.find((name) => !Object.hasOwn(settings.properties, name));
  if (unknown !== undefined) throw new TypeError(`its destination ${unknown} is none of its settings`);
  const can = (given: Readonly<Record<string, unknown>>): Capabilities => {
    const said = own.capabilities(given);
    const missing = wrongPart(said, CAPABILITIES);
    if (missing !== undefined) throw new TypeError(`\`${missing}\` of its capabilities is missing or wrong`);
    return { ...said, automatic: said.automatic ?? false };
  };
  // Once, so that a wrong one is known at the start.
  can({});
  const { id, name, summary, destinations, simulated, trialAmount } = own;
  return {
    ...{ id, name, summary, summaryPt: summary, destinations, simulated, trialAmount, settings },
    form: formOf(settings.properties),
    ...(own.account && { account: (given: Readonly<Record<string, unknown>>) => own.account!(given) }),
    capabilities: can,
    create: (given, deps) => {
      const { permits } = deps;
      return own.create(given, { ...deps, connect: (options) => createOutbound({ ...options, permits }) });
    },
  };
}

/** The settings in the form of the built-in banks': each optional, with a description. */
function settingsOf(given: PackagedBank["settings"], builtIn: readonly Bank[]): Bank["settings"] {
  const known: Readonly<Record<string, TSchema>> = Object.assign({}, ...builtIn.map((one) => one.settings.properties));
  const fields: Record<string, TSchema> = {};
  for (const [name, schema] of Object.entries(given ?? {})) {
    const taken = Object.hasOwn(known, name) ? known[name] : undefined;
    if (schema === true ? taken === undefined : taken !== undefined)
      throw new TypeError(
        taken === undefined
          ? `no built-in bank has the setting ${name}`
          : `its setting ${name} exists already: give it \`true\`, or another name`,
      );
    const { type, description } =
      schema === true ? { type: "string", description: "…" } : (schema as Record<string, unknown>);
    if (!oneOf("string", "integer", "boolean")(type) || !isText(description))
      throw new TypeError(`its setting ${name} needs a type (string, integer, boolean) and a description`);
    fields[name] = schema === true ? taken! : Type.Optional(Type.Unsafe(schema));
  }
  return Type.Object(fields, { additionalProperties: false });
}
