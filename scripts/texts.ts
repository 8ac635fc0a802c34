/**
 * Checks the console's texts: every language has the same keys with the same placeholders, every key that the sources
 * name exists, every kind of movement of the ledger and every action of the audit log has a text, and no text names a bank.
 * Run by `npm run check`.
 */

import "./help.ts";
import { readdirSync, readFileSync } from "node:fs";
import { ACTION_KINDS } from "../console/src/generated/values.ts";
import { AUDIT_ACTIONS } from "../gateway/src/audit-log/actions.ts";
import { ROUTES } from "../gateway/src/ledger/chart.ts";
import { BANKS } from "../gateway/src/psp/catalogue.ts";
import { EVENT_KINDS } from "../gateway/src/webhooks/events/catalogue.ts";

const ROOT = new URL("../console/src/", import.meta.url);
const FILES = ["pt-BR.json", "en.json"];

type Texts = { [key: string]: string | Texts };

function flat(texts: Texts, before = ""): [key: string, text: string][] {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === "string" ? [[before + key, value] as [string, string]] : flat(value, `${before}${key}.`),
  );
}

const read = (name: string): Texts => JSON.parse(readFileSync(new URL(`texts/${name}`, ROOT), "utf8")) as Texts;
const languages = FILES.map((name) => ({
  name,
  texts: new Map(
    [read(name), read(`screens.${name}`), { operator: read(`operator.${name}`) }].flatMap((part) => flat(part)),
  ),
}));

/** Whether a key exists. A key with plurals has a text for each form. */
const isKey = (key: string, texts: ReadonlyMap<string, string>): boolean => texts.has(key) || texts.has(`${key}_other`);
const bracesOf = (text: string): string =>
  [...text.matchAll(/\{\{(\w+)\}\}/g)]
    .map(([, name]) => name)
    .sort()
    .join();

const problems: string[] = [];
for (const { name, texts } of languages) {
  for (const other of languages) {
    for (const [key, text] of other.texts) {
      const own = texts.get(key);
      if (own === undefined) problems.push(`${name} lacks ${key}`);
      else if (own.trim() === "") problems.push(`${name}: ${key} is empty`);
      else if (bracesOf(own) !== bracesOf(text)) problems.push(`${name}: ${key} has other values in braces`);
    }
  }
}

// What a screen says of one bank comes from that bank's folder, by the API.
const banks = BANKS.filter(({ simulated, profiles = [] }) => !simulated && profiles.length === 0);
for (const { name, texts } of languages) {
  for (const [key, text] of texts) {
    const bank = banks.find((one) => text.includes(one.name));
    if (bank) problems.push(`${name}: ${key} names ${bank.name}: put its words into gateway/src/psp/${bank.id}`);
  }
}

const sources = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
const first = languages[0]!.texts;
for (const path of sources) {
  const source = readFileSync(new URL(path, ROOT), "utf8");
  for (const [, inCall, inTable] of source.matchAll(/\bt\(\s*"([\w.]+)"|\btext: "([\w.]+\.[\w.]+)"/g)) {
    const key = inCall ?? inTable ?? "";
    if (!isKey(key, first)) problems.push(`${path} names ${key}, which no language has`);
  }
}

// Kinds that move a wallet's balances are on statements; all kinds are on the close of a day.
for (const [kind, routes] of Object.entries(ROUTES)) {
  const ofWallets = routes.some((route) => /\b(available|held|promotional)\b/.test(route));
  const key = ofWallets ? `kind.${kind}` : `operator.movement.${kind}`;
  if (!first.has(key)) problems.push(`no language has ${key}, the words for a movement of the ledger`);
}

for (const kind of EVENT_KINDS) {
  if (!first.has(`events.of.${kind}`))
    problems.push(`no language has events.of.${kind}, the words for a kind of event`);
}

type Operations = Record<string, { readonly operationId?: string; readonly "x-permission"?: string }>;
const { paths } = JSON.parse(readFileSync(new URL("../openapi/merchant.json", import.meta.url), "utf8")) as {
  readonly paths: Readonly<Record<string, Operations>>;
};
/**
 * Operations that a person calls from the console and the audit log records: merchants' operations that change
 * something.
 */
const calls = Object.values(paths)
  .flatMap((operations) => Object.entries(operations))
  .filter(([method, operation]) => method !== "get" && operation["x-permission"] !== undefined)
  .map(([, { operationId }]) => `call.${operationId}`);
const actions = new Set<string>([...AUDIT_ACTIONS, ...calls]);
const ACTION_TEXTS = "operator.audited.";
for (const action of actions) {
  if (!first.has(ACTION_TEXTS + action))
    problems.push(`no language has ${ACTION_TEXTS + action}, the words for an action of the audit log`);
}
for (const key of first.keys()) {
  if (key.startsWith(ACTION_TEXTS) && !actions.has(key.slice(ACTION_TEXTS.length)))
    problems.push(`${key} is of no action of the audit log`);
}

// The filter of the audit log offers every kind of action.
for (const kind of ACTION_KINDS) {
  const key = `operator.auditedKind.${kind}`;
  if (!first.has(key)) problems.push(`no language has ${key}, the words for a kind of action`);
}

if (problems.length > 0) {
  console.error([...new Set(problems)].join("\n"));
  process.exitCode = 1;
} else console.log(`${first.size} texts in ${languages.length} languages`);
