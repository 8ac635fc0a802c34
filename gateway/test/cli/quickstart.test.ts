/** What the first pages promise: the quick start of the README as it is pasted, and the settings of docs/operating.md. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { settingNames } from "../../src/settings/config.ts";
import { eventually } from "../harness/eventually.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const blocksOf = (text: string) => [...text.matchAll(/```bash\n([\s\S]*?)```/g)].map(([, block]) => block!);

type Terminal = {
  readonly child: ChildProcess;
  output(): string;
  readonly exited: Promise<number | null>;
  /** With all of its output read. */
  readonly closed: Promise<number | null>;
};

/** Milliseconds for each block and each line that is waited for; a quiet machine needs a tenth. */
const WITHIN_MS = 120_000;
/** A reader's new terminal has none of these settings; what runs this test may have some. */
const CLEAN = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("PIXGATE_")));

/** A terminal in the repository's folder, where a block is pasted. */
function paste(block: string, env: Record<string, string>): Terminal {
  const child = spawn("bash", ["-c", block], {
    cwd: root,
    // npm brings its own node along; this test's is the same.
    env: { ...CLEAN, PATH: `${dirname(process.execPath)}:${process.env.PATH}`, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, to be ended as a whole, as Ctrl-C does.
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const once = (event: "exit" | "close") => new Promise<number | null>((resolve) => child.once(event, resolve));
  return { child, output: () => output, exited: once("exit"), closed: once("close") };
}

function signal({ child }: Terminal, name: "SIGINT" | "SIGKILL"): void {
  if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, name);
}

/** Ends what takes too long. */
async function inTime<T>(terminal: Terminal, ended: Promise<T>): Promise<T> {
  const timer = setTimeout(() => signal(terminal, "SIGKILL"), WITHIN_MS);
  return ended.finally(() => clearTimeout(timer));
}

async function end(terminal: Terminal): Promise<void> {
  signal(terminal, "SIGINT");
  await inTime(terminal, terminal.exited);
}

async function finish(terminal: Terminal): Promise<void> {
  assert.equal(await inTime(terminal, terminal.closed), 0, terminal.output());
}

/** The second step of the quick start in Portuguese as commands: its amounts, and the refusal that it explains. */
function secondStep(page: string): string {
  const step = page.split("## 2. ")[1]!.split("\n## ")[0]!;
  const amounts = [...step.matchAll(/^\d\. .*R\$ (\d+),00/gm)].map(([, amount]) => Number(amount));
  assert.deepEqual(amounts, [50, 20, 20], "charged, charged, refunded");
  const [first, second] = amounts;
  return `set -eo pipefail
in_wallet() { node gateway/bin/pixgate.mjs "$@" --sub-account passo-2 --json; }
read_of() { node -p "JSON.parse(fs.readFileSync(0)).$1"; }
charge() { in_wallet charges create --amount "$1" --description "Step 2" | read_of id; }
# The payment may be booked after the command has given up.
pay() {
  in_wallet sandbox pay "$1" > /dev/null || true
  until [ "$(in_wallet transactions get "$1" | read_of status)" = completed ]; do sleep 1; done
}
node gateway/bin/pixgate.mjs sub-accounts create --reference passo-2 --name "Passo 2" > /dev/null
FIRST=$(charge ${first}); pay $FIRST
if in_wallet refunds create $FIRST --yes; then echo "an empty wallet paid for a refund"; exit 1; fi
SECOND=$(charge ${second}); pay $SECOND
in_wallet refunds create $SECOND --yes > /dev/null
echo "left: $(in_wallet accounts get --as merchant | read_of balance.available.amountFormatted)"
`;
}

describe("the first pages", () => {
  test("the README in Portuguese has the commands, the links and the pictures of the one in English", () => {
    /** Of a page in Portuguese the page in English that it names; null where it has none. A picture's twin is beside it. */
    const inEnglish = (link: string): string | null => {
      if (!link.startsWith("docs/pt-BR/")) return link.replace(/^README.*/, "").replace(/\.pt-BR(?=\.png$)/, "");
      const [, twin] = /^\[English\]\(([^)]+)\)$/m.exec(read(link)) ?? [];
      return twin === undefined ? null : join(dirname(link), twin);
    };
    const partsOf = (file: string) => {
      const text = read(file);
      return {
        commands: blocksOf(text).map((block) => block.replace(/ *# .*/g, "")),
        links: [...text.matchAll(/\]\(([^)]+)\)/g)]
          // Headings have their own names in each language; the documents' tests hold that each is there.
          .map(([, link]) => inEnglish(link!.replace(/(?<=.)#.*/, "")))
          .filter((link) => link !== null)
          .sort(),
      };
    };
    assert.deepEqual(partsOf("README.pt-BR.md"), partsOf("README.md"));
  });

  test("the quick start of the README does what it says, from the first command to the verified webhook", {
    rules: ["service.1", "service.8"],
    timeout: 280_000,
  }, async () => {
    const section = read("README.md").split("## Quick start")[1]!.split("\n## ")[0]!;
    const blocks = blocksOf(section);
    assert.equal(blocks.length, 5);
    const [start, receive, ...calls] = blocks as [string, string, ...string[]];
    assert.match(start, /^npm ci && npm start\n$/);

    const dataDir = mkdtempSync(join(tmpdir(), "pixgate-readme-"));
    const env = {
      PIXGATE_DATA_DIR: dataDir,
      PIXGATE_PORT: "0",
      PIXGATE_SIMULATOR_PORT: "0",
      DATABASE_URL: "",
      PORT: "0",
    };
    const open: Terminal[] = [];
    const terminal = (block: string): Terminal => {
      const made = paste(block, env);
      open.push(made);
      return made;
    };
    try {
      // The packages are there: npm ci would take them away from every other test.
      const gateway = terminal(start.replace("npm ci && ", ""));
      const says = (where: Terminal, what: string) =>
        eventually(
          what,
          () => {
            assert.equal(where.child.exitCode, null, where.output());
            return where.output().includes(what);
          },
          WITHIN_MS,
        );
      await says(gateway, "Pixgate is ready");
      const receiver = terminal(receive);
      await says(receiver, "receiving webhooks at");

      const again = calls[1]!.replace(/^ORDER=.*\n/, "").replace("CHARGE=", "AGAIN=");
      const same = '[ "$(echo "$AGAIN" | json .id)" = "$(echo "$CHARGE" | json .id)" ] && echo the same charge';
      // The guides' requests are sent by a function that goes on in the same terminal.
      const sender = blocksOf(read("docs/guides/first-charge.md")).find((block) => block.startsWith("call() "))!;
      const customer = terminal(["set -eo pipefail", ...calls, again, same, sender].join("\n"));
      await finish(customer);
      const output = customer.output();
      assert.match(output, /^0002\d+br\.gov\.bcb\.pix.{60,}$/m, "the code to pay with");
      assert.match(output, /^completed$/m);
      assert.match(output, /amount: 25\.9,/);
      assert.match(output, /amount: 2540, amountFormatted: 25\.4 /);
      assert.match(output, /the same charge/);
      assert.match(output, /"status":"pending","amount":5,/);
      const id = /id: '([0-9a-f-]{36})'/.exec(output)![1]!;
      await says(receiver, `verified payment_completed ${id}`);

      // The quick start in Portuguese does it by commands; its first and fourth block run until Ctrl-C.
      const page = read("docs/pt-BR/inicio-rapido.md");
      const [, charge, payout, , trigger, books, ...more] = blocksOf(page);
      assert.ok(books !== undefined && more.length === 0);
      const commands = terminal(["set -eo pipefail", charge, payout, trigger, books].join("\n"));
      await finish(commands);
      assert.match(commands.output(), /pedido-1042/);
      assert.match(commands.output(), /balance_block_created/);

      // Its second step, which is made in the console, in a wallet that is as empty as a new sandbox's.
      const step = terminal(secondStep(page));
      await finish(step);
      assert.match(step.output(), /INSUFFICIENT_BALANCE/);
      // 50.00 and 20.00 less two fees of 0.50, less the refund with its fee of 0.25.
      assert.match(step.output(), /^left: 48\.75$/m);
    } finally {
      for (const one of open.toReversed()) await end(one);
      rmSync(dataDir, { recursive: true, force: true });
    }
    assert.equal(open[0]!.child.exitCode === 0 || open[0]!.child.signalCode !== null, true, open[0]!.output());
  });

  test("docs/operating.md names every setting that is read, and no other", () => {
    const names = settingNames();
    assert.ok(names.size >= 12);
    // Some are read while the program is loaded, before there is a configuration.
    for (const file of globSync("gateway/src/**/*.ts", { cwd: root, exclude: ["**/*.test.ts"] })) {
      for (const [, name] of read(file).matchAll(/\bprocess\.env\.(PIXGATE_[A-Z_]+)/g)) names.add(name!);
    }
    const rows = (file: string) => [...read(file).matchAll(/^\| `([A-Z][A-Z_]+)`/gm)].map(([, name]) => name!);
    // OpenTelemetry's own are read together with ours, and have a table of their own.
    const ours = (name: string) => !name.startsWith("OTEL_");
    assert.deepEqual(rows("docs/operating.md").filter(ours).sort(), [...names].filter(ours).sort());
  });
});
