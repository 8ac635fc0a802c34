import { pick, type Random, stream } from "../harness/random.ts";

/**
 * A command of a process. Objects are named by small numbers: `tenant` 0 or 1 (or the house), `wallet` 0 (main) or 1
 * (its sub-account), and a number of its own for each other object. `pix` names a Pix. Before some commands the process
 * looks up which of a Pix's returns, or which of a case's blocks, it changes: `nth` is its position. Amounts in
 * centavos.
 */
export type Command =
  | { readonly do: "settle"; readonly tenant: number; readonly charge: number; readonly pix: number; readonly wrong: boolean }
  | { readonly do: "expire" | "cancel" | "intend" | "accept" | "reject"; readonly tenant: number; readonly charge: number }
  | ({ readonly do: "withdraw"; readonly id: number; readonly wallet: number; readonly amount: number } & Keyed)
  | { readonly do: "resolve"; readonly tenant: number; readonly id: number; readonly back: number }
  | ({ readonly do: "refund"; readonly id: number } & Keyed)
  | { readonly do: "finish"; readonly tenant: number; readonly id: number }
  | ({ readonly do: "transfer"; readonly id: number; readonly wallet: number; readonly amount: number } & Keyed)
  | ({ readonly do: "adjust"; readonly id: number; readonly wallet: number; readonly amount: number; readonly credit: boolean } & Keyed)
  | { readonly do: "block"; readonly tenant: number; readonly id: number; readonly wallet: number; readonly amount: number; readonly basis: BlockBasis }
  | { readonly do: "end block"; readonly tenant: number; readonly id: number; readonly outcome: "approved" | "rejected" }
  | { readonly do: "defend"; readonly tenant: number; readonly id: number }
  | { readonly do: "case"; readonly tenant: number; readonly id: number; readonly status: CaseStatus; readonly amount?: number }
  | { readonly do: "end case"; readonly tenant: number; readonly id: number; readonly outcome: "approved" | "rejected"; readonly nth?: number }
  | { readonly do: "defend case"; readonly tenant: number; readonly id: number; readonly nth?: number }
  | { readonly do: "given"; readonly tenant: number; readonly pix: PixName; readonly id: number }
  | { readonly do: "end return"; readonly tenant: number; readonly pix: PixName; readonly nth?: number }
  | { readonly do: "retry"; readonly tenant: number; readonly pix: PixName; readonly reported: "failed" | "absent" | "unclear"; readonly nth?: number }
  | { readonly do: "keep" | "continue" | "end assignment"; readonly tenant: typeof HOUSE; readonly id: number }
  | { readonly do: "send back"; readonly tenant: typeof HOUSE; readonly id: number }
  | { readonly do: "assign"; readonly tenant: typeof HOUSE; readonly id: number; readonly to: number; readonly charge: number }
  | { readonly do: "settle assigned"; readonly tenant: number; readonly id: number; readonly charge: number }
  | { readonly do: "fees"; readonly tenant: number; readonly charge: number; readonly withdrawal: number }
  | { readonly do: "limit"; readonly tenant: number; readonly perDay: number | null }
  | { readonly do: "account" | "wallet"; readonly tenant: number; readonly suspended: boolean }
  | { readonly do: "endpoint"; readonly tenant: number; readonly wallet: number }
  | { readonly do: "loops" }; // biome-ignore format: one row for each

/** The house account, whose books have the receipts that belong to no charge. */
export const HOUSE = 2;
type CaseStatus = "open" | "in_defence" | "accepted" | "rejected";
/** A Pix: of a charge (the number of the charge, of its Pix, and whether its amount is wrong), or a receipt. */
export type PixName = `${number}/${number}/${boolean}` | `receipt ${number}`;
/** The Pix that disputes, court orders and refunds concern. */
export const PAYMENT: PixName = "0/0/false";

type Keyed = { readonly tenant: number; readonly key: number | null };
/**
 * What a block concerns: no payment, or the first charge's payment in a dispute (`med`) or a court order (`judicial`).
 */
export type BlockBasis = "nothing" | "med" | "judicial";

/** The commands that a process starts together: money commands share a transaction, each other command has its own. */
export type Go = readonly Command[];

/** Money commands: they run in a lane. */
export const IN_LANE = new Set<Command["do"]>([
  ...(["settle", "expire", "cancel", "withdraw", "resolve", "refund", "finish"] as const),
  ...(["transfer", "adjust", "block", "end block", "defend", "case", "end case", "defend case"] as const),
  ...(["given", "end return", "retry", "keep", "send back", "continue", "assign"] as const),
]);

export const CHARGES = [
  { amount: 1_000, wallet: 0, due: false, split: null, intent: false },
  { amount: 700, wallet: 0, due: false, split: null, intent: false },
  { amount: 500, wallet: 1, due: true, split: null, intent: false },
  { amount: 900, wallet: 0, due: false, split: 300, intent: false },
  { amount: 800, wallet: 0, due: false, split: null, intent: true },
  { amount: 650, wallet: 0, due: false, split: null, intent: true },
] as const;

/**
 * Of the first charge's payment: the amount that each case contests, and the amounts that the PSP returns by itself.
 */
export const CASES = [250, 400, 1_000] as const;
export const GIVEN = [250, 300, 450] as const;
/** Index of the PSP's return whose nature the PSP does not report. */
export const UNEXPLAINED = 1;
/** Amounts of the receipts without a charge: two that equal a charge's amount, and one that equals none. */
export const RECEIPTS = [700, 333, 900] as const;
/** The amount that a PSP returns by itself of some Pix that were not credited. */
export const GIVEN_OF_DEPOSIT = 60;

export const nameOf = (charge: number, pix: number, wrong: boolean): PixName => `${charge}/${pix}/${wrong}`;
export const receipt = (id: number): PixName => `receipt ${id}`;
const partsOf = (pix: PixName) => pix.split(/[ /]/);

/** The amount of a Pix, the same for everybody who reports it. */
export function amountOf(pix: PixName): number {
  const [first, second, third] = partsOf(pix);
  if (first === "receipt") return RECEIPTS[Number(second)]!;
  return CHARGES[Number(first)]!.amount + (third === "true" ? 1 : 0);
}

/** What the PSP keeps back of a Pix as tax: of the second ones of a charge, and of the first and last receipt. */
export function withheldOf(pix: PixName): number {
  const [first, second] = partsOf(pix);
  return first === "receipt" ? (Number(second) % 2 === 0 ? 2 : 0) : Number(second) % 2 === 1 ? 3 : 0;
}

/** Whether the PSP returns a part of this Pix by itself: the second receipt, and second payments. */
const isReturnedByPsp = (pix: PixName): boolean => partsOf(pix)[1] === "1";

/**
 * Whether the PSP executes a return of ours. Where it returns a part of the Pix by itself: only up to the rest. For Pix
 * of a wrong amount and for the last receipt: not at the first try.
 */
export function isGivenBack(pix: PixName, amount: number, nth: number): boolean {
  const [first, second, third] = partsOf(pix);
  if (isReturnedByPsp(pix)) return amount <= amountOf(pix) - GIVEN_OF_DEPOSIT;
  return nth > 0 || !(third === "true" || (first === "receipt" && second === "2"));
}

/** Whether the PSP executes the withdrawal or refund of this number: always the same answer, as from a real PSP. */
export const carriedOut = (id: number): boolean => id % 3 !== 2;

/** The amount of the refund of this number: every third is a part of the first charge. */
export const refundOf = (id: number): number => (id % 3 === 1 ? Math.ceil(CHARGES[0].amount / 4) : CHARGES[0].amount);

/** Commands that run for every tenant before the first statement of a schedule. */
export const BEGINNING: readonly Command[] = [0, 1].flatMap((tenant): Command[] => [
  { do: "adjust", tenant, id: 0, wallet: 0, amount: 1_500, credit: false, key: null },
  { do: "adjust", tenant, id: 1, wallet: 1, amount: 400, credit: false, key: null },
  { do: "settle", tenant, charge: 0, pix: 0, wrong: false },
  { do: "withdraw", tenant, id: 0, wallet: 0, amount: 600, key: null },
  { do: "withdraw", tenant, id: 2, wallet: 1, amount: 100, key: null },
  { do: "block", tenant, id: 0, wallet: 0, amount: 120, basis: "nothing" },
  { do: "block", tenant, id: 1, wallet: 0, amount: 250, basis: "med" },
]);

const KEPT: readonly Command[] = [0, 1, 2].map((id) => ({ do: "keep", tenant: HOUSE, id }));
const SENT_BACK: readonly Command[] = [0, 1, 2].map((id) => ({ do: "send back", tenant: HOUSE, id }));
const both = (made: (tenant: number) => readonly Command[]): Command[] => [0, 1].flatMap(made);
/** Further commands before a schedule, so that states late in the life of a Pix are reached too. */
const MORE: readonly (readonly Command[])[] = [
  [],
  KEPT,
  [...KEPT, ...SENT_BACK, { do: "end return", tenant: HOUSE, pix: receipt(2) }],
  [...KEPT, ...SENT_BACK, { do: "end return", tenant: HOUSE, pix: receipt(2) }, { do: "retry", tenant: HOUSE, pix: receipt(2), reported: "failed" }],
  [...KEPT, { do: "assign", tenant: HOUSE, id: 1, to: 0, charge: 1 }],
  both((tenant) => [
    { do: "settle", tenant, charge: 0, pix: 1, wrong: false },
    { do: "settle", tenant, charge: 0, pix: 2, wrong: false },
    { do: "settle", tenant, charge: 1, pix: 0, wrong: true },
    { do: "end return", tenant, pix: nameOf(1, 0, true) },
  ]),
  both((tenant) => [{ do: "case", tenant, id: 0, status: "open" }]),
  both((tenant) => [{ do: "case", tenant, id: 0, status: "open" }, { do: "refund", tenant, id: 2, key: null }]),
]; // biome-ignore format: one row for each

/** The further commands that run before a seed's schedule. */
export const beginningOf = (seed: number): readonly Command[] => pick(stream(seed, "beginning"), MORE);

type Draw = (random: Random, tenant: number, next: () => number) => Command;

const key = (random: Random) => (random() < 0.5 ? null : Math.floor(random() * 2));
const wallet = (random: Random) => (random() < 0.7 ? 0 : 1);
/** Small amounts, and amounts that take nearly the whole balance, so that two of them exceed it. */
const amount = (random: Random) => pick(random, [1, 60, 250, 900, 1_400, 1_900]);

/** Pix that may not be credited: a wrong amount, a second payment, a receipt that was assigned. */
const depositOf = (random: Random): PixName =>
  pick(random, [
    nameOf(0, 1, false),
    nameOf(0, 2, false),
    nameOf(1, 0, true),
    nameOf(1, 1, false),
    nameOf(3, 0, true),
    receipt(0),
    receipt(1),
  ]);

/** Each command's weight, and how it is drawn. */
const DRAWS: readonly (readonly [number, Draw])[] = [
  [5, (r, tenant) => ({ do: "settle", tenant, charge: Math.floor(r() * 6), pix: r() < 0.8 ? 0 : 1, wrong: r() < 0.15 })],
  [1, (r, tenant) => ({ do: "expire", tenant, charge: pick(r, [1, 2, 2, 2]) })],
  [1, (r, tenant) => ({ do: "cancel", tenant, charge: pick(r, [1, 3, 4]) })],
  [2, (r, tenant) => ({ do: "intend", tenant, charge: pick(r, [4, 5]) })],
  [1, (r, tenant) => ({ do: "accept", tenant, charge: pick(r, [4, 5]) })],
  [1, (r, tenant) => ({ do: "reject", tenant, charge: pick(r, [4, 5]) })],
  [4, (r, tenant, next) => ({ do: "withdraw", tenant, id: next(), wallet: wallet(r), amount: amount(r), key: key(r) })],
  [3, (r, tenant) => ({ do: "resolve", tenant, id: pick(r, [0, 0, 2, 3, 4, 5]), back: pick(r, [0, 0, 1, 2]) })],
  [3, (r, tenant) => ({ do: "refund", tenant, id: pick(r, [0, 1, 2]), key: key(r) })],
  [2, (r, tenant) => ({ do: "finish", tenant, id: pick(r, [0, 1, 2]) })],
  [3, (r, tenant, next) => ({ do: "transfer", tenant, id: next(), wallet: wallet(r), amount: amount(r), key: key(r) })],
  [2, (r, tenant, next) => {
    const credit = r() < 0.3;
    return { do: "adjust", tenant, id: next(), wallet: wallet(r), amount: (r() < 0.6 ? -1 : 1) * amount(r), credit, key: key(r) };
  }],
  [2, (r, tenant, next) => ({ do: "block", tenant, id: next(), wallet: 0, amount: amount(r), basis: pick(r, ["nothing", "med", "judicial"]) })],
  [2, (r, tenant) => ({ do: "end block", tenant, id: pick(r, [0, 1, 1, 3, 4]), outcome: r() < 0.5 ? "approved" : "rejected" })],
  [1, (r, tenant) => ({ do: "defend", tenant, id: pick(r, [0, 1, 3, 4]) })],
  [3, (r, tenant) => ({ do: "case", tenant, id: Math.floor(r() * 3), status: pick(r, ["open", "open", "in_defence", "accepted", "rejected"]) })],
  [1, (r, tenant) => ({ do: "case", tenant, id: Math.floor(r() * 3), status: "open", amount: pick(r, [100, 250, 400, 700, 1_000]) })],
  [1, (r, tenant) => ({ do: "end case", tenant, id: Math.floor(r() * 3), outcome: r() < 0.5 ? "approved" : "rejected" })],
  [1, (r, tenant) => ({ do: "defend case", tenant, id: Math.floor(r() * 3) })],
  [2, (r, tenant) => ({ do: "given", tenant, pix: PAYMENT, id: Math.floor(r() * 3) })],
  [1, (r, tenant) => ({ do: "given", tenant, pix: pick(r, [nameOf(0, 1, false), nameOf(1, 1, false), nameOf(1, 1, true)]), id: 0 })],
  [2, (r, tenant) => ({ do: "end return", tenant, pix: depositOf(r) })],
  [2, (r, tenant) => ({ do: "retry", tenant, pix: depositOf(r), reported: pick(r, ["failed", "absent", "unclear"]) })],
  [1, (r) => ({ do: "keep", tenant: HOUSE, id: Math.floor(r() * 3) })],
  [3, (r, to) => ({ do: "assign", tenant: HOUSE, id: Math.floor(r() * 3), to, charge: pick(r, [0, 1, 3]) })],
  [2, (r) => ({ do: "send back", tenant: HOUSE, id: Math.floor(r() * 3) })],
  [1, (r) => ({ do: "continue", tenant: HOUSE, id: Math.floor(r() * 3) })],
  [1, () => ({ do: "given", tenant: HOUSE, pix: receipt(1), id: 0 })],
  [2, (r) => ({ do: "end return", tenant: HOUSE, pix: receipt(Math.floor(r() * 3)) })],
  [2, (r) => ({ do: "retry", tenant: HOUSE, pix: receipt(1 + Math.floor(r() * 2)), reported: pick(r, ["failed", "absent", "unclear"]) })],
  [1, (r, tenant) => ({ do: "fees", tenant, charge: pick(r, [0, 7, 30]), withdrawal: pick(r, [0, 5, 50]) })],
  [1, (r, tenant) => ({ do: "limit", tenant, perDay: pick(r, [null, 700, 1_000]) })],
  [1, (r, tenant) => ({ do: "account", tenant, suspended: r() < 0.5 })],
  [1, (r, tenant) => ({ do: "wallet", tenant, suspended: r() < 0.5 })],
  [1, (r, tenant) => ({ do: "endpoint", tenant, wallet: wallet(r) })],
  [1, () => ({ do: "loops" })],
]; // biome-ignore format: one row for each

const WEIGHT = DRAWS.reduce((sum, [weight]) => sum + weight, 0);

function draw(random: Random, next: () => number): Command {
  let left = random() * WEIGHT;
  for (const [weight, make] of DRAWS) {
    left -= weight;
    if (left < 0) return make(random, random() < 0.75 ? 0 : 1, next);
  }
  throw new Error("unreachable");
}

/** The commands of up to four processes in a seed's schedule, in the order of each process. */
export function plan(seed: number): Go[][] {
  const random = stream(seed, "plan");
  let made = 2;
  const next = () => {
    made += 1;
    return made;
  };
  const goes = Array.from({ length: 2 + Math.floor(random() * 3) }, () =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
      const first = draw(random, next);
      if (!IN_LANE.has(first.do)) return [first];
      const more = Array.from({ length: Math.floor(random() * 3) }, () => draw(random, next));
      return [first, ...more.filter((command) => IN_LANE.has(command.do))];
    }),
  );
  return goes.map((list) => list.map((go) => go.map((command) => failRefunds(command, goes.flat(2)))));
}

/**
 * Makes refunds fail where the PSP returns parts of the payment by itself: a refund of the whole is impossible then.
 */
function failRefunds(command: Command, all: readonly Command[]): Command {
  if (command.do !== "refund" && command.do !== "finish") return command;
  const given = all.some((one) => one.do === "given" && one.tenant === command.tenant && one.pix === PAYMENT);
  return given ? { ...command, id: 3 * command.id + 2 } : command;
}

/** A command of each kind: every two of them run together in all orders. The charge's intent is stored before. */
export const KINDS: readonly Command[] = [
  { do: "settle", tenant: 0, charge: 4, pix: 0, wrong: false },
  { do: "expire", tenant: 0, charge: 2 },
  { do: "cancel", tenant: 0, charge: 4 },
  { do: "accept", tenant: 0, charge: 4 },
  { do: "reject", tenant: 0, charge: 4 },
  { do: "intend", tenant: 0, charge: 5 },
  { do: "withdraw", tenant: 0, id: 3, wallet: 0, amount: 900, key: 0 },
  { do: "resolve", tenant: 0, id: 0, back: 2 },
  { do: "refund", tenant: 0, id: 0, key: 0 },
  { do: "finish", tenant: 0, id: 0 },
  { do: "transfer", tenant: 0, id: 4, wallet: 0, amount: 900, key: 0 },
  { do: "adjust", tenant: 0, id: 5, wallet: 0, amount: -900, credit: false, key: 0 },
  { do: "block", tenant: 0, id: 6, wallet: 0, amount: 900, basis: "judicial" },
  { do: "end block", tenant: 0, id: 1, outcome: "approved" },
  { do: "fees", tenant: 0, charge: 30, withdrawal: 50 },
  { do: "limit", tenant: 0, perDay: 700 },
  { do: "account", tenant: 0, suspended: true },
  { do: "wallet", tenant: 0, suspended: true },
  { do: "endpoint", tenant: 0, wallet: 0 },
  { do: "loops" },
];

/** Groups of commands about one object: every two of a group run in one transaction in all orders. */
export const OF_ONE_OBJECT: readonly (readonly Command[])[] = [
  [
    { do: "expire", tenant: 0, charge: 2 },
    { do: "settle", tenant: 0, charge: 2, pix: 0, wrong: false },
    { do: "settle", tenant: 0, charge: 2, pix: 0, wrong: true },
  ],
  [
    { do: "cancel", tenant: 0, charge: 1 },
    { do: "settle", tenant: 0, charge: 1, pix: 0, wrong: false },
    { do: "settle", tenant: 0, charge: 1, pix: 0, wrong: true },
  ],
  [0, 1, 2].map((back) => ({ do: "resolve", tenant: 0, id: 0, back })),
  [
    { do: "end block", tenant: 0, id: 1, outcome: "approved" },
    { do: "defend", tenant: 0, id: 1 },
    { do: "case", tenant: 0, id: 0, status: "open" },
    { do: "given", tenant: 0, pix: PAYMENT, id: 0 },
    { do: "refund", tenant: 0, id: 2, key: 0 },
    { do: "finish", tenant: 0, id: 2 },
  ],
];

const AFTER_REFUND = new Set(["refund", "finish", "block", "end block", "adjust", "fees", "endpoint", "loops"]);

/** Commands about a contested payment while a refund of it is requested that the PSP does not execute. */
const CONTESTED: readonly Command[] = [
  { do: "case", tenant: 0, id: 0, status: "accepted" },
  { do: "case", tenant: 0, id: 0, status: "rejected" },
  { do: "case", tenant: 0, id: 0, status: "open", amount: 700 },
  { do: "case", tenant: 0, id: 0, status: "in_defence", amount: 100 },
  { do: "case", tenant: 0, id: 1, status: "in_defence" },
  { do: "defend case", tenant: 0, id: 0 },
  { do: "end case", tenant: 0, id: 0, outcome: "rejected" },
  { do: "given", tenant: 0, pix: PAYMENT, id: 0 },
  { do: "refund", tenant: 0, id: 2, key: 0 },
  { do: "block", tenant: 0, id: 6, wallet: 0, amount: 400, basis: "judicial" },
  { do: "loops" },
];

/** Commands about a receipt whose amount equals that of a charge of either tenant. */
const RECEIVED: readonly Command[] = [
  { do: "keep", tenant: HOUSE, id: 0 },
  { do: "assign", tenant: HOUSE, id: 0, to: 0, charge: 1 },
  { do: "assign", tenant: HOUSE, id: 0, to: 1, charge: 1 },
  { do: "continue", tenant: HOUSE, id: 0 },
  { do: "send back", tenant: HOUSE, id: 0 },
  { do: "settle", tenant: 0, charge: 1, pix: 0, wrong: false },
];

/** Commands about a receipt of which the PSP returns a part by itself, whichever account's books it is in. */
const GIVEN_BACK: readonly Command[] = [
  { do: "given", tenant: HOUSE, pix: receipt(1), id: 0 },
  { do: "assign", tenant: HOUSE, id: 1, to: 0, charge: 1 },
  { do: "send back", tenant: HOUSE, id: 1 },
  { do: "end return", tenant: HOUSE, pix: receipt(1) },
  { do: "end return", tenant: 0, pix: receipt(1) },
  { do: "loops" },
];

/** Commands about a return that failed and is retried. */
const FAILED: readonly Command[] = [
  { do: "given", tenant: HOUSE, pix: receipt(1), id: 0 },
  { do: "retry", tenant: HOUSE, pix: receipt(1), reported: "failed" },
  { do: "retry", tenant: HOUSE, pix: receipt(1), reported: "unclear" },
  { do: "end return", tenant: HOUSE, pix: receipt(1) },
  { do: "loops" },
];

/** For runs of two commands at once: the commands before them, and the kinds to combine. */
export const PAIRS: readonly { readonly first: readonly Command[]; readonly kinds: readonly Command[] }[] = [
  { first: [{ do: "intend", tenant: 0, charge: 4 }], kinds: KINDS },
  {
    // A refund that the PSP executes, and one that it does not: the money that this one took over comes back.
    first: [{ do: "refund", tenant: 0, id: 0, key: null }],
    kinds: KINDS.filter((one) => AFTER_REFUND.has(one.do)).map((one) =>
      one.do === "refund" ? { ...one, id: 1 } : one,
    ),
  },
  {
    first: [{ do: "refund", tenant: 0, id: 2, key: null }],
    kinds: KINDS.filter((one) => AFTER_REFUND.has(one.do)).map((one) =>
      one.do === "refund" ? { ...one, id: 1 } : one.do === "finish" ? { ...one, id: 2 } : one,
    ),
  },
  { first: [{ do: "case", tenant: 0, id: 0, status: "open" }], kinds: CONTESTED },
  {
    first: [{ do: "case", tenant: 0, id: 0, status: "open" }, { do: "refund", tenant: 0, id: 2, key: null }],
    kinds: [{ do: "finish", tenant: 0, id: 2 }, ...CONTESTED.filter((one) => one.do === "case" || one.do === "given" || one.do === "loops")],
  },
  { first: [{ do: "keep", tenant: HOUSE, id: 0 }], kinds: RECEIVED },
  { first: [{ do: "keep", tenant: HOUSE, id: 1 }], kinds: GIVEN_BACK },
  { first: [{ do: "keep", tenant: HOUSE, id: 1 }, { do: "assign", tenant: HOUSE, id: 1, to: 0, charge: 1 }], kinds: GIVEN_BACK },
  {
    first: [
      { do: "keep", tenant: HOUSE, id: 1 },
      { do: "send back", tenant: HOUSE, id: 1 },
      { do: "end return", tenant: HOUSE, pix: receipt(1), nth: 0 },
    ],
    kinds: FAILED,
  },
]; // biome-ignore format: one row for each
