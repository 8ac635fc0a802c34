import { pick, type Random, stream } from "../torture/random.ts";

/**
 * What a process may do, named by small numbers: `tenant` 0 or 1, `wallet` 0 (main) or 1 (its sub-account), and of each
 * kind of object its own. Centavos.
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
  | { readonly do: "block"; readonly tenant: number; readonly id: number; readonly wallet: number; readonly amount: number; readonly of: BlockOf }
  | { readonly do: "end block"; readonly tenant: number; readonly id: number; readonly outcome: "approved" | "rejected" }
  | { readonly do: "fees"; readonly tenant: number; readonly charge: number; readonly withdrawal: number }
  | { readonly do: "limit"; readonly tenant: number; readonly perDay: number | null }
  | { readonly do: "account" | "wallet"; readonly tenant: number; readonly suspended: boolean }
  | { readonly do: "endpoint"; readonly tenant: number; readonly wallet: number }
  | { readonly do: "loops" }; // biome-ignore format: one row for each

type Keyed = { readonly tenant: number; readonly key: number | null };
/** Of no payment, or of the first charge's: a dispute, or an order. */
export type BlockOf = "nothing" | "med" | "judicial";

/** What a process does in one go: money commands share a transaction, everything else goes by itself. */
export type Go = readonly Command[];

/** Money commands, that pass through the lane. */
export const IN_LANE = new Set<Command["do"]>([
  ...(["settle", "expire", "cancel", "withdraw", "resolve", "refund", "finish"] as const),
  ...(["transfer", "adjust", "block", "end block"] as const),
]);

export const CHARGES = [
  { amount: 1_000, wallet: 0, due: false, split: null, intent: false },
  { amount: 700, wallet: 0, due: false, split: null, intent: false },
  { amount: 500, wallet: 1, due: true, split: null, intent: false },
  { amount: 900, wallet: 0, due: false, split: 300, intent: false },
  { amount: 800, wallet: 0, due: false, split: null, intent: true },
  { amount: 650, wallet: 0, due: false, split: null, intent: true },
] as const;

/** Whether a withdrawal or a refund of this number is carried out: a PSP does not contradict itself. */
export const carriedOut = (id: number): boolean => id % 3 !== 2;

/** Every tenant's beginning, done before the first schedule's statement. */
export const BEGINNING: readonly Command[] = [0, 1].flatMap((tenant): Command[] => [
  { do: "adjust", tenant, id: 0, wallet: 0, amount: 1_500, credit: false, key: null },
  { do: "adjust", tenant, id: 1, wallet: 1, amount: 400, credit: false, key: null },
  { do: "settle", tenant, charge: 0, pix: 0, wrong: false },
  { do: "withdraw", tenant, id: 0, wallet: 0, amount: 600, key: null },
  { do: "withdraw", tenant, id: 2, wallet: 1, amount: 100, key: null },
  { do: "block", tenant, id: 0, wallet: 0, amount: 120, of: "nothing" },
  { do: "block", tenant, id: 1, wallet: 0, amount: 250, of: "med" },
]);

type Draw = (random: Random, tenant: number, next: () => number) => Command;

const key = (random: Random) => (random() < 0.5 ? null : Math.floor(random() * 2));
const wallet = (random: Random) => (random() < 0.7 ? 0 : 1);
/** Small ones, and such that take nearly all there is, so that two do not fit. */
const amount = (random: Random) => pick(random, [1, 60, 250, 900, 1_400, 1_900]);

/** How each command is drawn, and how often. */
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
  [2, (r, tenant, next) => ({ do: "block", tenant, id: next(), wallet: 0, amount: amount(r), of: pick(r, ["nothing", "med", "judicial"]) })],
  [2, (r, tenant) => ({ do: "end block", tenant, id: pick(r, [0, 1, 1, 3, 4]), outcome: r() < 0.5 ? "approved" : "rejected" })],
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

/** What up to four processes do in the schedule of a seed, one go after another. */
export function plan(seed: number): Go[][] {
  const random = stream(seed, "plan");
  let made = 2;
  const next = () => {
    made += 1;
    return made;
  };
  return Array.from({ length: 2 + Math.floor(random() * 3) }, () =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
      const first = draw(random, next);
      if (!IN_LANE.has(first.do)) return [first];
      const more = Array.from({ length: Math.floor(random() * 3) }, () => draw(random, next));
      return [first, ...more.filter((command) => IN_LANE.has(command.do))];
    }),
  );
}

/** One command of each kind, for all orders of two at once; a charge's intent is stored before. */
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
  { do: "block", tenant: 0, id: 6, wallet: 0, amount: 900, of: "judicial" },
  { do: "end block", tenant: 0, id: 1, outcome: "approved" },
  { do: "fees", tenant: 0, charge: 30, withdrawal: 50 },
  { do: "limit", tenant: 0, perDay: 700 },
  { do: "account", tenant: 0, suspended: true },
  { do: "wallet", tenant: 0, suspended: true },
  { do: "endpoint", tenant: 0, wallet: 0 },
  { do: "loops" },
];

const AFTER_REFUND = new Set(["refund", "finish", "block", "end block", "adjust", "fees", "endpoint", "loops"]);

/** What two at once begin with, and what they are. */
export const PAIRS: readonly { readonly first: readonly Command[]; readonly kinds: readonly Command[] }[] = [
  { first: [{ do: "intend", tenant: 0, charge: 4 }], kinds: KINDS },
  {
    // A refund that is carried out, and one that is not: what it took over comes back.
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
];
