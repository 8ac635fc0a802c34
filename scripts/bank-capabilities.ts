/** The tables of `docs/banks.md` that show what each bank can do, from the capabilities in the catalogue. */
import "./help.ts";
import type { Bank } from "../gateway/src/psp/bank.ts";
import type { Capabilities } from "../gateway/src/psp/capabilities.ts";
import { BANKS } from "../gateway/src/psp/catalogue.ts";

type Row = { readonly id: string; readonly name: string; readonly can: Capabilities };
type Column<T> = readonly [head: string, cell: (can: T) => string];

/** A row for each bank of the catalogue, and for each bank that one of those adapters supports by a profile. */
const rows: readonly Row[] = BANKS.flatMap((bank: Bank): Row[] => {
  const { id, profiles = [] } = bank;
  const known = profiles.map(({ name, profile, scope, sandbox }) => ({
    id,
    name: `${name} (\`${id}\`, \`${profile}\`${scope === undefined ? "" : ", with every scope"})`,
    can: {
      ...bank.capabilities({ profile, scope }),
      sandboxPayment: bank.capabilities({ profile: sandbox ? `${profile}-sandbox` : profile }).sandboxPayment,
    },
  }));
  const name = known.length === 0 ? bank.name : "another bank";
  const settings = bank.paysWith ?? {};
  const more = Object.keys(settings).map((one) => `\`${one}\``);
  const row = {
    id,
    name: `${name} (\`${id}\`${more.length === 0 ? "" : `, with ${more.join(", ")}`})`,
    can: bank.capabilities(settings),
  };
  return [...known, row];
});

const yes = (can: boolean): string => (can ? "yes" : "no");

const RECEIVES: readonly Column<Capabilities>[] = [
  ["charges", ({ charges }) => charges.join(", ") || "none: it only pays out"],
  ["shows a charge", ({ chargesShown }) => ({ always: "always", once_paid: "once it is paid" })[chargesShown]],
  ["due date edited", ({ dueEdits }) => yes(dueEdits)],
  ["list of received Pix", ({ receivedList }) => ({ all: "all", charges_only: "only those of charges" })[receivedList]],
  ["static codes", ({ staticCodes }) => yes(staticCodes)],
  ["tills", ({ tills }) => yes(tills)],
  ["Pix Automático", ({ automatic }) => yes(automatic)],
  ["payer", ({ payers }) => ({ in_notifications: "in notifications", varies: "perhaps", never: "never" })[payers]],
  ["returns", ({ returns }) => ({ whole: "whole", parts: "whole, in parts" })[returns]],
  ["most of one Pix", ({ maxAmount }) => (maxAmount === null ? "not known" : `R$ ${maxAmount / 100}`)],
  ["tariffs", ({ tariffs }) => (tariffs ? "with each Pix" : "no")],
  ["balance", ({ balance }) => yes(balance)],
  [
    "MED cases",
    ({ infractions, defence }) =>
      defence === undefined
        ? yes(infractions)
        : `${{ shown: "with deadline", not_shown: "without deadline" }[defence.deadline]}, answered by ${defence.evidence}`,
  ],
  ["own holds of received Pix", ({ precautionaryBlocks }) => yes(precautionaryBlocks === true)],
  [
    "sandbox payment",
    ({ sandboxPayment }) => ({ by_command: "by `/v2/sandbox`", by_itself: "by itself", none: "no" })[sandboxPayment],
  ],
  ["payouts", ({ payouts }) => yes(payouts !== null)],
  ["most charges", mostCharges],
  ["items of a page", ({ pageItems }) => String(pageItems ?? "not known")],
  ["times", ({ zone }) => (zone === undefined ? "not known" : { written: "with zone", brasilia: "Brasília's" }[zone])],
];

function mostCharges({ perMinute, perSecond }: Capabilities): string {
  if (perSecond?.charges !== undefined) return `${perSecond.charges} a second`;
  return perMinute?.charges === undefined ? "not known" : `${perMinute.charges} a minute`;
}

const SENDS: readonly Column<NonNullable<Capabilities["payouts"]>>[] = [
  ["to", ({ to }) => to.join(", ")],
  ["holder of the key", ({ holderChecked }) => (holderChecked ? "checked before paying" : "not checked")],
  ["found by", ({ foundBy }) => ({ our_id: "our id", bank_id: "the bank's id" })[foundBy]],
  [
    "a repeat",
    ({ repeat }) => ({ our_id: "never pays twice", list_first: "only after its list was searched" })[repeat],
  ],
  ["remembered", ({ remembered }) => ({ for_ever: "for ever", unknown: "not known how long" })[remembered]],
  ["steps", ({ authorised }) => (authorised ? "two: prepared, then authorised" : "one")],
  ["listed", ({ listed }) => (listed ? "yes" : "no")],
  ["approved by a person there", ({ approvedAtBank }) => (approvedAtBank ? "perhaps" : "no")],
];

const table = <T>(columns: readonly Column<T>[], rows: readonly (readonly [name: string, can: T])[]): string[] => [
  `| bank | ${columns.map(([head]) => head).join(" | ")} |`,
  `|---|${columns.map(() => "---|").join("")}`,
  ...rows.map(([name, can]) => `| ${name} | ${columns.map(([, cell]) => cell(can)).join(" | ")} |`),
];

const receiving = (of: readonly Row[]): string[] =>
  table(
    RECEIVES,
    of.map(({ name, can }) => [name, can]),
  );
const sending = (of: readonly Row[]): string[] =>
  table(
    SENDS,
    of.flatMap(({ name, can }) => (can.payouts === null ? [] : [[name, can.payouts] as const])),
  );
const unverified = (of: readonly Row[]): string[] =>
  of.flatMap(({ name, can }) => (can.unverified.length === 0 ? [] : [`- ${name}: ${can.unverified.join("; ")}`]));

/** The table of banks in Portuguese, from the same data. */
export function portugueseLines(): string[] {
  const sim = (can: boolean): string => (can ? "sim" : "não");
  return [
    "| provedor | o que é | saques | saldo | contestações (MED) |",
    "|---|---|---|---|---|",
    ...BANKS.map((bank: Bank) => {
      const { paysWith = {}, profiles = [], id, summaryPt } = bank;
      const scoped = profiles.map(({ profile, name, scope }) => ({ name, can: bank.capabilities({ profile, scope }) }));
      const plain = bank.capabilities(paysWith);
      const which = (has: (can: Capabilities) => boolean): string => {
        const some = scoped.filter(({ can }) => has(can)).map(({ name }) => name);
        return has(plain) || some.length === 0 ? sim(has(plain)) : `só ${some.join(", ")}`;
      };
      const needed = Object.keys(paysWith).map((name) => `\`${name}\``);
      const payouts =
        which(({ payouts }) => payouts !== null) + (needed.length > 0 ? `, com ${needed.join(", ")}` : "");
      const balance = which((can) => can.balance);
      return `| [\`${id}\`](../banks/${id}.md) | ${summaryPt} | ${payouts} | ${balance} | ${which((can) => can.infractions)} |`;
    }),
  ];
}

/** The section with the tables. */
export const capabilityLines = (): string[] => [
  "## What each can do",
  "",
  "By its adapter here: a bank may offer more. What Pixgate decides by a bank's abilities it reads from the same data.",
  "",
  ...receiving(rows),
  "",
  "- *Only those of charges*: a plain transfer to the key is not in the list, so only its notification reports it.",
  "- *Payer: never*: such an institution is not linked to an account that blocks payers with a CNPJ and returns payments of unknown",
  "  payers, since it would return every one (`NOT_SUPPORTED_BY_INSTITUTION`).",
  "",
  "An operator may say what an account needs of its institutions (`policies.needs`): one by which it would be missing is not linked,",
  "and a need that a linked one lacks is not set (`NOT_SUPPORTED_BY_INSTITUTION`). Of each that receives `partial_refunds` and `disputes`,",
  "because a payment goes back, and is contested, where it came in; of one at least `payouts`, `unattended_payouts` (nobody has to",
  "approve them at the bank), `due_dates`, `static_codes` and `tills`. Taking an institution away is never refused.",
  "",
  "How payouts are made, by the banks that have them. One that does not check the holder is linked only to accounts whose policy",
  "`uncheckedHolders` allows that:",
  "",
  ...sending(rows),
  "",
  "None of it was tried at a live bank. Beside that, unverified:",
  "",
  ...unverified(rows),
];

/** What one bank can do, for its own page. */
export function abilitiesOf({ id }: Bank): string[] {
  const own = rows.filter((row) => row.id === id);
  const pays = own.some(({ can }) => can.payouts !== null) ? ["", "Its payouts:", "", ...sending(own)] : [];
  const open = unverified(own);
  return [...receiving(own), ...pays, ...(open.length > 0 ? ["", "Unverified:", "", ...open] : [])];
}
