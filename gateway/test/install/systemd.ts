import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

const UNITS = "/etc/systemd/system";
/** What systemd gives a unit, and nothing else of the one who starts it. */
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

type Unit = { get(key: string): string | undefined; all(key: string): string[] };

function readUnit(name: string): Unit {
  const [template, instance] = /^(.*@)(.*)$/.exec(name)!.slice(1) as [string, string];
  const lines = readFileSync(join(UNITS, `${template}.service`), "utf8")
    .split("\n")
    .filter((line) => /^\w+=/.test(line))
    .map((line) => line.replaceAll("%i", instance));
  const all = (key: string) =>
    lines.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1));
  return { all, get: (key) => all(key).at(-1) };
}

const assignments = (words: readonly string[]): Record<string, string> =>
  Object.fromEntries(words.map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]));

function environmentOf(unit: Unit): Record<string, string> {
  const files = unit.all("EnvironmentFile").flatMap((named) => {
    const path = named.replace(/^-/, "");
    if (named !== path && !existsSync(path)) return [];
    return readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => /^\w+=/.test(line));
  });
  return { PATH, ...assignments(unit.all("Environment").flatMap((line) => line.split(" "))), ...assignments(files) };
}

/** `systemctl` and `journalctl` for a machine that systemd does not run: they honour what the delivered unit says. */
export async function imitateSystemd(folder: string) {
  const running = new Map<string, { child: ChildProcess; ended: Promise<number | null> }>();
  const journal = join(folder, "journal");
  writeFileSync(journal, "");

  function start(name: string): void {
    const unit = readUnit(name);
    const user = unit.get("User")!;
    const state = join("/var/lib", unit.get("StateDirectory")!);
    mkdirSync(state, { recursive: true });
    chmodSync(state, Number.parseInt(unit.get("StateDirectoryMode")!, 8));
    execFileSync("chown", ["-R", `${user}:`, state]);
    if (unit.get("ProtectSystem") !== "strict" || unit.get("PrivateTmp") !== "yes")
      throw new Error("not as imitated here");
    // ProtectSystem=strict: all is read-only but the state; PrivateTmp and ProtectHome: these folders are empty.
    const script = `set -e
      cut -d' ' -f5 /proc/self/mountinfo | grep -vE '^/(proc|sys|dev)' | while read -r at; do mount -o remount,bind,ro "$at" 2>/dev/null || true; done
      mount --bind ${state} ${state}; mount -o remount,bind,rw ${state}
      for at in /tmp /home /root; do mount -t tmpfs -o mode=1777 tmpfs "$at"; done
      umask ${unit.get("UMask")}; ulimit -c ${unit.get("LimitCORE")}
      cd ${unit.get("WorkingDirectory")}
      exec setpriv --reuid=${user} --regid=${user} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all ${unit.get("ExecStart")}`;
    const child = spawn("unshare", ["--mount", "bash", "-c", script], {
      env: environmentOf(unit),
      stdio: ["ignore", "ignore", "pipe"],
    });
    child.stderr!.on("data", (chunk: Buffer) => writeFileSync(journal, chunk, { flag: "a" }));
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    running.set(name, { child, ended });
    // Restart=always: what ends by itself is started again.
    child.once("exit", () => {
      if (unit.get("Restart") !== "always" || running.get(name)?.child !== child) return;
      setTimeout(() => running.get(name)?.child === child && start(name), Number(unit.get("RestartSec")) * 1_000);
    });
  }

  /** Ends it in time and well, or while it waits to be started again. */
  async function stop(name: string): Promise<void> {
    const { child, ended } = running.get(name)!;
    running.delete(name);
    if (child.exitCode !== null) return;
    const unit = readUnit(name);
    child.kill(unit.get("KillSignal") as NodeJS.Signals);
    const late = setTimeout(() => child.kill("SIGKILL"), Number(unit.get("TimeoutStopSec")) * 1_000);
    const code = await ended;
    clearTimeout(late);
    if (code !== 0) throw new Error(`${name} ended with ${code}`);
  }

  const act: Record<string, (name: string) => Promise<void> | void> = {
    enable: start,
    start,
    disable: stop,
    stop,
    restart: async (name) => {
      await stop(name);
      start(name);
    },
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.once("data", async (asked) => {
      const [verb, ...names] = asked
        .toString()
        .trim()
        .split(" ")
        .filter((word) => word !== "--now");
      try {
        for (const name of names) await act[verb!]!(name);
        socket.end("0");
      } catch (error) {
        socket.end(`1 ${(error as Error).message}`);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(join(folder, "systemd"), resolve));
  const commands = join(folder, "bin");
  mkdirSync(commands);
  const ask = `const socket = require("node:net").connect("${folder}/systemd", () => socket.write(process.argv.slice(2).join(" ")));
socket.on("data", (said) => { if (String(said) !== "0") { process.stderr.write(said); process.exitCode = 1; } });`;
  writeFileSync(join(commands, "systemctl"), `#!${process.execPath}\n${ask}\n`, { mode: 0o755 });
  writeFileSync(join(commands, "journalctl"), `#!/bin/sh\ncat ${journal}\n`, { mode: 0o755 });
  return {
    commands,
    units: () => [...running.keys()].sort(),
    pid: (name: string) => running.get(name)!.child.pid!,
    journal: () => readFileSync(journal, "utf8"),
    async stopAll() {
      for (const name of running.keys()) await stop(name).catch(() => {});
      server.close();
    },
  };
}
