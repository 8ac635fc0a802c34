/** What the first pages promise: the quick start of the README as it is pasted, and the settings of docs/operating.md. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { readConfig } from "../../src/config.ts";
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

/** A terminal in the repository's folder, where a block is pasted. */
function paste(block: string, env: Record<string, string>): Terminal {
  const child = spawn("bash", ["-c", block], {
    cwd: root,
    // npm brings its own node along; this test's is the same.
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}`, ...env },
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

async function end({ child, exited }: Terminal): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, "SIGINT");
  await exited;
}

describe("the first pages", () => {
  test("the README in Portuguese has the commands, the links and the pictures of the one in English", () => {
    /** Of a page in Portuguese the page in English that it names; null where it has none. */
    const inEnglish = (link: string): string | null => {
      if (!link.startsWith("docs/pt-BR/")) return link.replace(/^README.*/, "");
      const [, twin] = /^\[English\]\(([^)]+)\)$/m.exec(read(link)) ?? [];
      return twin === undefined ? null : join(dirname(link), twin);
    };
    const partsOf = (file: string) => {
      const text = read(file);
      return {
        commands: blocksOf(text).map((block) => block.replace(/ *# .*/g, "")),
        links: [...text.matchAll(/\]\(([^)]+)\)/g)]
          .map(([, link]) => inEnglish(link!))
          .filter((link) => link !== null)
          .sort(),
      };
    };
    assert.deepEqual(partsOf("README.pt-BR.md"), partsOf("README.md"));
  });

  test("the quick start of the README does what it says, from the first command to the verified webhook", {
    rules: ["service.1", "service.8"],
    timeout: 240_000,
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
          60_000,
        );
      await says(gateway, "Pixgate is ready");
      const receiver = terminal(receive);
      await says(receiver, "receiving webhooks at");

      const again = calls[1]!.replace(/^ORDER=.*\n/, "").replace("CHARGE=", "AGAIN=");
      const same = '[ "$(echo "$AGAIN" | json .id)" = "$(echo "$CHARGE" | json .id)" ] && echo the same charge';
      const customer = terminal(["set -eo pipefail", ...calls, again, same].join("\n"));
      assert.equal(await customer.closed, 0, customer.output());
      const output = customer.output();
      assert.match(output, /^0002\d+br\.gov\.bcb\.pix.{60,}$/m, "the code to pay with");
      assert.match(output, /^completed$/m);
      assert.match(output, /amount: 25\.9,/);
      assert.match(output, /amount: 2540, amountFormatted: 25\.4 /);
      assert.match(output, /the same charge/);
      const id = /id: '([0-9a-f-]{36})'/.exec(output)![1]!;
      await says(receiver, `verified payment_completed ${id}`);

      // The quick start in Portuguese does it by commands; its first and fourth block run until Ctrl-C.
      const [, charge, payout, , trigger, books, ...more] = blocksOf(read("docs/pt-BR/inicio-rapido.md"));
      assert.ok(books !== undefined && more.length === 0);
      const commands = terminal(["set -eo pipefail", charge, payout, trigger, books].join("\n"));
      assert.equal(await commands.closed, 0, commands.output());
      assert.match(commands.output(), /pedido-1042/);
      assert.match(commands.output(), /balance_block_created/);
    } finally {
      for (const one of open.toReversed()) await end(one);
      rmSync(dataDir, { recursive: true, force: true });
    }
    assert.equal(open[0]!.child.exitCode === 0 || open[0]!.child.signalCode !== null, true, open[0]!.output());
  });

  test("docs/operating.md names every setting that is read, and no other", () => {
    const names = new Set<string>();
    readConfig(
      new Proxy({} as NodeJS.ProcessEnv, {
        get(_target, name) {
          names.add(String(name));
          return undefined;
        },
      }),
    );
    assert.ok(names.size >= 12);
    const rows = (file: string) => [...read(file).matchAll(/^\| `([A-Z][A-Z_]+)`/gm)].map(([, name]) => name!);
    // OpenTelemetry's own are read together with ours, and have a table of their own.
    const ours = (name: string) => !name.startsWith("OTEL_");
    assert.deepEqual(rows("docs/operating.md").filter(ours).sort(), [...names].filter(ours).sort());
  });
});
