/** Which tests hold what a bank does: for `docs/banks.md` and the pages of banks, from the test files themselves. */
import "./help.ts";
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Bank } from "../gateway/src/psp/bank.ts";
import type { Capabilities } from "../gateway/src/psp/capabilities.ts";
import { BANKS } from "../gateway/src/psp/catalogue.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const read = (file: string): string => readFileSync(`${ROOT}${file}`, "utf8");
const found = (...patterns: string[]): string[] =>
  globSync(patterns, { cwd: ROOT })
    .map((file) => file.replaceAll("\\", "/"))
    .sort();

/** The contract of payouts that a bank keeps, by what makes its payouts safe. */
function payoutContractOf(payouts: NonNullable<Capabilities["payouts"]>): string {
  if (payouts.numbers) return "numbered-payouts.ts";
  if (payouts.authorised) return "two-step-payouts.ts";
  if (payouts.foundBy === "our_id") return "payouts.ts";
  return payouts.repeat === "list_first" ? "list-first-payouts.ts" : "own-id-payouts.ts";
}

const SCOPES = (bank: Bank): object[] => (bank.profiles ?? []).map(({ profile, scope }) => ({ profile, scope }));

/** Everything that a bank can do with some of its settings. */
function allOf(bank: Bank): readonly Capabilities[] {
  return [{}, bank.paysWith ?? {}, ...SCOPES(bank)].map((settings) =>
    bank.capabilities(settings as Record<string, unknown>),
  );
}

type Tests = {
  /** How the simulator is spoken to. */
  readonly dialects: string;
  readonly contracts: readonly string[];
  readonly wire: readonly string[];
  /** Tests of the running gateway with an institution of this bank. */
  readonly lives: readonly string[];
  /** The bank's own client against the simulator. */
  readonly clients: readonly string[];
  /** Whether the torture has an institution of this bank: the first one is the simulator. */
  readonly isTortured: boolean;
};

/** The dialects of the torture's institutions, by its source: `stress/` is imported by nobody. */
const TORTURED = /export const DIALECTS = \[(.*?)\]/s.exec(read("stress/torture/banks.ts"))![1]!;

const gatewayTests = found("gateway/test/**/*.test.ts").map((file) => ({ file, source: read(file) }));

function gather(bank: Bank): Tests {
  const { id } = bank;
  const source = read(`gateway/src/psp/${id}/contract.test.ts`);
  const dialects = [...source.matchAll(/dialect: "(\w+)"/g)].map(([, dialect]) => `\`${dialect}\``);
  const own = /bridge:/.test(source) ? "its own API" : [...new Set(dialects)].join(", ");
  const can = allOf(bank);
  const sends = can.flatMap(({ payouts }) => (payouts === null ? [] : [payoutContractOf(payouts)]));
  const receives = can.some(({ charges }) => charges.length > 0) ? "charges.ts" : "pays-only.ts";
  const names = new RegExp(`provider: "${id}"`);
  return {
    dialects: own === "" ? "`bcb`" : own,
    contracts: [receives, ...new Set(sends)].map((file) => `gateway/test/psp/${file}`),
    wire: found(`gateway/src/psp/${id}/*.test.ts`).filter((file) => !file.endsWith("/contract.test.ts")),
    lives: gatewayTests.flatMap(({ file, source: text }) => (names.test(text) ? [file] : [])),
    clients: found(`gateway/test/psp/${id}-sdk.deep.test.ts`, `psp-simulator/test/${id}-sdk.deep.test.ts`),
    isTortured: id === "simulator" || TORTURED.includes(`"${id}"`),
  };
}

/** More are only counted: most tests run with the simulator. */
const MOST_LINKS = 12;

/** Links to files, from a page in a folder of `docs`. */
const links = (files: readonly string[], up: string): string =>
  files.length === 0
    ? "none"
    : files.length > MOST_LINKS
      ? `${files.length} files`
      : files
          .map((file) => `[${file.replace(/^.*\//, "").replace(/(\.deep)?(\.test)?\.ts$/, "")}](${up}${file})`)
          .join(", ");

/** The section of all banks. */
export const testLines = (): string[] => [
  "## How each is tested",
  "",
  "The contract is what every bank keeps, held against the simulator in the bank's dialect, with its faults; wire tests hold what is",
  "sent and read against the bank's documented shapes; the others run the whole gateway with an institution of the bank, and the bank's own",
  "client against the same simulator. The [torture](torture.md#faults-by-dialect) has institutions of some banks, under kills and all",
  "faults at once. `npm run test:bank` runs the contract on a bank of your own.",
  "",
  "| provider | dialect | contract | wire tests | in the running gateway | its own client | torture |",
  "|---|---|---|---|---|---|---|",
  ...BANKS.map((bank: Bank) => {
    const { dialects, contracts, wire, lives, clients, isTortured } = gather(bank);
    const [kept, sent, lived, client] = [contracts, wire, lives, clients].map((files) => links(files, "../"));
    return `| [\`${bank.id}\`](banks/${bank.id}.md#its-tests) | ${dialects} | ${kept} | ${sent} | ${lived} | ${client} | ${isTortured ? "yes" : "no"} |`;
  }),
];

/** The section of one bank, on its page. */
export function testsOf(bank: Bank): string[] {
  const { dialects, contracts, wire, lives, clients, isTortured } = gather(bank);
  return [
    `- Contract of every bank, against the simulator in ${dialects}: ${links(contracts, "../../")}`,
    `- What is sent and read: ${links(wire, "../../")}`,
    `- In the running gateway: ${links(lives, "../../")}`,
    `- The bank's own client against the simulator: ${links(clients, "../../")}`,
    `- Under [torture](../torture.md#faults-by-dialect): ${isTortured ? "yes" : "no"}`,
  ];
}
