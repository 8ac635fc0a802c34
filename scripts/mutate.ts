/**
 * Breaks the money code on purpose, one small change at a time, and runs the fast tests that should notice: `npm run
 * mutate -- [--files lib/money.ts,claims] [--sample 50 --seed 1]`. A mutant is made in memory, by a hook of the module
 * loader; nothing is written. A mutant is killed when a test fails or hangs. Prints, for each file, the share of killed
 * mutants, how many it has, and the place of each survivor.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { readOptions } from "./options.ts";

const SOURCE = new URL("../gateway/src/", import.meta.url);
const TESTS = new URL("../gateway/", import.meta.url);
const MODELS = {
  charges: "test/model/charges.model.test.ts",
  claims: "test/model/claims.model.test.ts",
  transfers: "test/model/transfers.model.test.ts",
  withdrawals: "test/model/withdrawals.model.test.ts",
};
/** Tests that assert whole decisions line by line. */
const DECISIONS = {
  balance: "test/decisions/judge-balance.test.ts",
  basis: "test/decisions/basis.test.ts",
  caseActions: "test/decisions/case-actions.test.ts",
  caseAmounts: "test/decisions/case-amounts.test.ts",
  cases: "test/decisions/cases.test.ts",
  close: "test/decisions/close.test.ts",
  codes: "test/decisions/codes.test.ts",
  claims: "test/decisions/claims.test.ts",
  editDue: "test/decisions/edit-due.test.ts",
  dueTerms: "test/decisions/due-terms.test.ts",
  finishRestore: "test/decisions/finish-restore.test.ts",
  keyed: "test/decisions/keyed.test.ts",
  medReturns: "test/decisions/med-returns.test.ts",
  medOrders: "test/decisions/med-orders.test.ts",
  partialRefunds: "test/decisions/partial-refunds.test.ts",
  payer: "test/decisions/payer.test.ts",
  payoutIds: "test/decisions/payout-ids.test.ts",
  payouts: "test/decisions/payout-decisions.test.ts",
  precautionary: "test/decisions/precautionary.test.ts",
  reconciliation: "test/decisions/reconciliation.test.ts",
  restored: "test/decisions/restored.test.ts",
  returns: "test/decisions/return-cases.test.ts",
  settle: "test/decisions/settle.test.ts",
  tariffs: "test/decisions/tariffs.test.ts",
  transfers: "test/decisions/transfers.test.ts",
  treasury: "test/decisions/treasury.test.ts",
  unmatched: "test/decisions/unmatched.test.ts",
  wentBack: "test/decisions/went-back.test.ts",
  withdrawals: "test/decisions/withdrawals.test.ts",
};
const CLAIMS = [
  ...[
    DECISIONS.claims,
    DECISIONS.caseAmounts,
    DECISIONS.medReturns,
    DECISIONS.medOrders,
    DECISIONS.partialRefunds,
    DECISIONS.precautionary,
  ],
  ...[DECISIONS.wentBack, MODELS.claims],
];
const WITHDRAWALS = [DECISIONS.withdrawals, DECISIONS.payouts, DECISIONS.payoutIds, MODELS.withdrawals];
/** Factor of the number of histories that a model runs against a mutant, so that it takes about two seconds. */
const TIMES: Readonly<Record<string, string>> = { [MODELS.transfers]: "0.5", [MODELS.withdrawals]: "2" };

/** Money code, with its tests that need neither a database nor a gateway, the fastest first. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  "lib/money.ts": ["src/lib/money.test.ts"],
  "lib/brcode.ts": ["src/lib/brcode.test.ts"],
  "lib/business-days.ts": ["src/lib/due.test.ts"],
  "lib/days.ts": ["src/lib/days.test.ts"],
  "lib/due.ts": ["src/lib/due.test.ts", DECISIONS.dueTerms],
  "psp/pair-returns.ts": ["src/psp/pair-returns.test.ts"],
  "psp/sound-tax.ts": ["src/psp/sound-tax.test.ts"],
  "booking/identify.ts": ["src/booking/identify.test.ts"],
  "institutions/share.ts": ["src/institutions/share.test.ts"],
  "ledger/books.ts": ["src/ledger/books.test.ts", MODELS.transfers],
  "ledger/wanted.ts": ["src/ledger/wanted.test.ts"],
  "claims/blocks/case.ts": CLAIMS,
  "claims/blocks/defend.ts": CLAIMS,
  "claims/blocks/end-hold.ts": CLAIMS,
  "claims/blocks/follow-amount.ts": CLAIMS,
  "claims/blocks/settle.ts": CLAIMS,
  "outgoing/brakes/count-waiting.ts": [DECISIONS.cases],
  "outgoing/pursue.ts": ["src/outgoing/pursue.test.ts"],
  "outgoing/turn-times.ts": ["src/outgoing/turn-times.test.ts"],
  "cases/action.ts": [DECISIONS.cases],
  "cases/basis.ts": [DECISIONS.basis],
  "cases/case.ts": [DECISIONS.cases],
  "cases/decide.ts": [DECISIONS.cases],
  "cases/list.ts": [DECISIONS.cases],
  "cases/proposal.ts": [DECISIONS.cases],
  "charges/admit.ts": [DECISIONS.payer, DECISIONS.settle],
  "charges/learn-payer.ts": [DECISIONS.payer],
  "charges/cancel.ts": [DECISIONS.settle, MODELS.charges],
  "charges/credit.ts": [DECISIONS.settle, DECISIONS.payer, MODELS.charges],
  "charges/edit-due.ts": [DECISIONS.editDue, MODELS.charges],
  "charges/expire.ts": [DECISIONS.settle, MODELS.charges],
  "charges/quote.ts": ["src/charges/quote.test.ts"],
  "charges/set-aside.ts": [DECISIONS.settle, MODELS.charges],
  "charges/settle.ts": [DECISIONS.settle, DECISIONS.payer, MODELS.charges],
  "charges/settle-code.ts": [DECISIONS.codes],
  "charges/split.ts": [DECISIONS.settle],
  "charges/terms.ts": [DECISIONS.dueTerms, DECISIONS.payer, DECISIONS.settle, MODELS.charges],
  "charges/withheld-tax.ts": ["src/charges/withheld-tax.test.ts", DECISIONS.settle, MODELS.charges],
  "claims/blocks/row.ts": CLAIMS,
  "claims/blocks/close.ts": CLAIMS,
  "claims/refunds/end.ts": CLAIMS,
  "claims/find-booked.ts": CLAIMS,
  "claims/paid-back.ts": CLAIMS,
  "claims/pix.ts": [...CLAIMS, DECISIONS.returns, DECISIONS.unmatched],
  "claims/psp-return.ts": CLAIMS,
  "claims/refunds/row.ts": CLAIMS,
  "claims/returns/row.ts": [...CLAIMS, DECISIONS.returns, DECISIONS.unmatched],
  "close/read.ts": [DECISIONS.close],
  "http/keyed-command.ts": [DECISIONS.keyed, MODELS.transfers],
  "transfers/adjustments/adjust.ts": [DECISIONS.transfers, MODELS.transfers],
  "claims/blocks/block-balance.ts": CLAIMS,
  "unmatched/resolve.ts": [DECISIONS.unmatched],
  "reconciliation/compare.ts": ["src/reconciliation/compare.test.ts"],
  "reconciliation/case-actions.ts": [DECISIONS.cases, DECISIONS.caseActions],
  "reconciliation/finding.ts": [DECISIONS.reconciliation],
  "reconciliation/judge-balance.ts": [DECISIONS.balance],
  "reconciliation/query.ts": [DECISIONS.reconciliation, "src/reconciliation/query.test.ts"],
  "reconciliation/theirs.ts": [DECISIONS.reconciliation],
  "claims/refunds/request.ts": CLAIMS,
  "reconciliation/restore/case-actions.ts": [DECISIONS.caseActions, DECISIONS.finishRestore, DECISIONS.restored],
  "reconciliation/restore/finish.ts": [DECISIONS.restored, DECISIONS.finishRestore],
  "reconciliation/restore/identity.ts": [DECISIONS.restored],
  "claims/returns/case.ts": [DECISIONS.returns, DECISIONS.unmatched],
  "claims/returns/deposit-returns.ts": [DECISIONS.returns, DECISIONS.unmatched],
  "claims/returns/finish.ts": [DECISIONS.unmatched, DECISIONS.returns, ...CLAIMS],
  "claims/returns/force.ts": [DECISIONS.returns],
  "claims/returns/in-pix.ts": ["src/claims/returns/in-pix.test.ts"],
  "claims/returns/lost.ts": ["src/claims/returns/lost.test.ts"],
  "claims/returns/report.ts": [DECISIONS.returns, DECISIONS.unmatched, ...CLAIMS],
  "claims/returns/psp-made.ts": [DECISIONS.unmatched, DECISIONS.returns, ...CLAIMS],
  "institutions/tariffs/bank-tariff.ts": [DECISIONS.tariffs],
  "institutions/tariffs/book.ts": [DECISIONS.tariffs],
  "ledger/movement.ts": [DECISIONS.transfers, MODELS.transfers],
  "transfers/send.ts": [DECISIONS.transfers, MODELS.transfers],
  "treasury/book.ts": [DECISIONS.treasury],
  "treasury/case-actions.ts": [DECISIONS.caseActions, DECISIONS.cases],
  "treasury/write-off.ts": [DECISIONS.caseActions, DECISIONS.cases],
  "treasury/entry.ts": [DECISIONS.treasury],
  "treasury/write-off-debt.ts": [DECISIONS.treasury],
  "unmatched/keep.ts": [DECISIONS.unmatched],
  "unmatched/settle-assigned.ts": [DECISIONS.unmatched],
  "unmatched/take-back.ts": [DECISIONS.returns],
  "withdrawals/adopt.ts": [DECISIONS.restored],
  "withdrawals/unconfirmed.ts": [DECISIONS.restored],
  "withdrawals/approve.ts": WITHDRAWALS,
  "withdrawals/cancel.ts": WITHDRAWALS,
  "withdrawals/case.ts": WITHDRAWALS,
  "withdrawals/choose-payer.ts": ["src/withdrawals/choose-payer.test.ts"],
  "withdrawals/complete.ts": WITHDRAWALS,
  "withdrawals/credit-returns.ts": WITHDRAWALS,
  "withdrawals/ending.ts": WITHDRAWALS,
  "withdrawals/fail.ts": WITHDRAWALS,
  "withdrawals/force.ts": WITHDRAWALS,
  "withdrawals/request.ts": WITHDRAWALS,
  "withdrawals/resolve.ts": WITHDRAWALS,
  "withdrawals/limits.ts": ["src/withdrawals/limits.test.ts", ...WITHDRAWALS],
  "withdrawals/pix-keys.ts": ["src/withdrawals/pix-keys.test.ts"],
  "withdrawals/price.ts": ["src/withdrawals/price.test.ts", MODELS.withdrawals],
};

/** The replacements of each token. Tokens match whole: `<=` is not `<`. */
const CHANGES: Readonly<Record<string, readonly string[]>> = {
  "===": ["!=="],
  "!==": ["==="],
  "<": ["<=", ">"],
  "<=": ["<", ">"],
  ">": [">=", "<"],
  ">=": [">", "<"],
  "&&": ["||"],
  "||": ["&&"],
  "??": ["&&"],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "+=": ["-="],
  "-=": ["+="],
  true: ["false"],
  false: ["true"],
  min: ["max"],
  max: ["min"],
  floor: ["ceil"],
  ceil: ["floor"],
  some: ["every"],
  every: ["some"],
};
/**
 * Splits code into tokens. Strings, templates, comments and regular expressions are single tokens and stay unchanged.
 */
const TOKENS =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|(?<=[(,=:[!&|?{;\n]\s*)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\]|\\.)*\])+\/\w*|=>|\.\.\.|[<>=!]==?|<<|>>>?|\?\?=?|&&|\|\||[-+*/]=|\+\+|--|\?\.|\d[\d_]*(?:\.\d+)?n?|[A-Za-z_$][\w$]*|[^\s\w]/g;

/**
 * Code that is not mutated: loading and writing rows, calls to PSPs, schemas, routes, loops and fixed answers. The
 * tests of these need a database or a gateway, and do not run here.
 */
const OF_ROWS =
  /^export const \w+Table\b[^\n]*= \{[\s\S]*?^\};|^export const \w+Table = \w+\([\s\S]*?^\);|^export const load\w+ = \w+Table\.reader\([\s\S]*?\);|^(?:export )?function load\w*\([\s\S]*?^\}|^(?:export )?async function [\s\S]*?^\}|^export const create\w+ = \(ctx[\s\S]*?^ *\}\);|^const \w+ = \(\)[\s\S]*?^ *\);|^(?:export )?const \w+ = (?:component|(?:Request|Answer)(?:Object|Part))\([\s\S]*?^\}?\);|^export function \w+Route\([\s\S]*?^\}|^const [A-Z]+ = \{ minLength[^\n]*|^export const Split = [\s\S]*?^\}\);/gm;

type Mutant = { readonly at: number; readonly length: number; readonly to: string; readonly line: number };

function mutantsOf(code: string): Mutant[] {
  const found: Mutant[] = [];
  const left = [...code.matchAll(OF_ROWS)].map((match) => [match.index, match.index + match[0].length] as const);
  const add = (at: number, length: number, to: string) => {
    if (left.some(([from, end]) => at >= from && at < end)) return;
    found.push({ at, length, to, line: code.slice(0, at).split("\n").length });
  };
  let before = "";
  for (const match of code.matchAll(TOKENS)) {
    const token = match[0];
    const unary = (token === "-" || token === "+") && /^(?:[^\w)\]]+|return|)$/.test(before);
    const isName = /^(?:min|max|floor|ceil|some|every)$/.test(token) && before !== ".";
    if (Object.hasOwn(CHANGES, token) && !unary && !isName) {
      for (const to of CHANGES[token]!) add(match.index, token.length, to);
    }
    if (/^\d[\d_]*$/.test(token) && before !== ".") {
      const value = Number(token.replaceAll("_", ""));
      add(match.index, token.length, String(value + 1));
      if (value === 1) add(match.index, token.length, "0");
    }
    // Mutates the condition to one that always holds, and one that never does.
    if (token === "if") {
      const end = closing(code, code.indexOf("(", match.index));
      const from = code.indexOf("(", match.index) + 1;
      for (const to of ["true", "false"]) add(from, end - from, to);
    }
    if (!/^\/[/*]/.test(token)) before = token;
  }
  return found;
}

function closing(code: string, open: number): number {
  let depth = 0;
  for (let i = open; i < code.length; i += 1) {
    if (code[i] === "(") depth += 1;
    if (code[i] === ")" && --depth === 0) return i;
  }
  return open;
}

/** Runs a test file with a mutant; true when it fails, or takes longer than ten times its usual time. */
function fails(test: string, file: string, code: string, timeoutMs: number): Promise<boolean> {
  // The first failure is enough: fast-check need not shrink the counterexample.
  const hook = `
    import { registerHooks } from "node:module";
    import fc from ${JSON.stringify(import.meta.resolve("fast-check"))};
    fc.configureGlobal({ endOnFailure: true });
    const url = ${JSON.stringify(new URL(file, SOURCE).href)};
    registerHooks({ load: (at, context, next) =>
      at === url ? { format: "module", source: process.env.PIXGATE_MUTANT, shortCircuit: true } : next(at, context) });`;
  const child = spawn(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(hook)}`, new URL(test, TESTS).pathname],
    {
      env: {
        ...process.env,
        PIXGATE_MUTANT: code,
        PIXGATE_MODEL_TIMES: TIMES[test] ?? "0.25",
        PIXGATE_MODEL_SEED: "7",
      },
      stdio: "ignore",
    },
  );
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  return new Promise((resolve) => {
    child.on("exit", (exit) => {
      clearTimeout(timer);
      resolve(exit !== 0);
    });
  });
}

const values = readOptions(import.meta.url, {
  options: {
    files: { type: "string", default: "" },
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    "at-once": { type: "string", default: "2" },
  },
});

/** A sample that the seed repeats (a linear congruential generator is random enough to choose lines). */
function sampled(all: readonly Mutant[]): readonly Mutant[] {
  if (values.sample === undefined) return all;
  let state = Number(values.seed) >>> 0;
  const keyed = all.map((mutant) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return { mutant, key: state };
  });
  return keyed
    .sort((a, b) => a.key - b.key)
    .slice(0, Number(values.sample))
    .map(({ mutant }) => mutant)
    .sort((a, b) => a.at - b.at);
}

let [allKilled, allMade] = [0, 0];
const chosen = values.files.split(",");
for (const [file, tests] of Object.entries(FILES)) {
  if (!chosen.some((part) => file.includes(part)) || !existsSync(new URL(file, SOURCE))) continue;
  const code = stripTypeScriptTypes(readFileSync(new URL(file, SOURCE), "utf8"));
  const began = performance.now();
  for (const test of tests) {
    if (await fails(test, file, code, 600_000)) throw new Error(`${test} fails on ${file} as it is`);
  }
  const timeoutMs = Math.max(20_000, (performance.now() - began) * 10);
  const made = mutantsOf(code);
  const mutants = sampled(made);
  const survivors: Mutant[] = [];
  const waiting = [...mutants];
  await Promise.all(
    Array.from({ length: Number(values["at-once"]) }, async () => {
      for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
        const mutated = code.slice(0, mutant.at) + mutant.to + code.slice(mutant.at + mutant.length);
        let killed = false;
        for (const test of tests) {
          killed = await fails(test, file, mutated, timeoutMs);
          if (killed) break;
        }
        if (!killed) survivors.push(mutant);
      }
    }),
  );
  const killed = mutants.length - survivors.length;
  allKilled += killed;
  allMade += mutants.length;
  const share = mutants.length === 0 ? 100 : Math.round((100 * killed) / mutants.length);
  console.log(`${file}: ${killed} of ${mutants.length} killed (${share} %) of its ${made.length}`);
  for (const { at, length, to, line } of survivors.sort((a, b) => a.at - b.at)) {
    console.log(`  line ${line}: ${code.slice(at, at + length).replace(/\s+/g, " ")} -> ${to}`);
  }
}
console.log(`${allKilled} of ${allMade} killed (${((100 * allKilled) / Math.max(1, allMade)).toFixed(1)} %)`);
