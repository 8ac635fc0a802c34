import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import type { Browser } from "../harness/browser.ts";
import { eventually } from "../harness/eventually.ts";
import type { Shell } from "./page.ts";

/** A step of the page. Where the one before failed there is nothing to go on with. */
let failed = false;
export const step = (name: string, walk: () => Promise<void>) =>
  test(name, async (t) => {
    if (failed) return t.skip("an earlier step failed");
    failed = true;
    await walk();
    failed = false;
  });

/** The page's processes and the ports that it gives them. */
const PROCESSES = [
  ["pixgate@api", 8080],
  ["pixgate@api-b", 8082],
  ["pixgate@worker", 8081],
] as const;

const isReady = (port: number) =>
  eventually(`the process at ${port} to be ready`, () => fetch(`http://127.0.0.1:${port}/readyz`).then(({ ok }) => ok));
export const allReady = async () => {
  for (const [, port] of PROCESSES) await isReady(port);
};

/** Writes a line of the settings of all processes; null takes it away. */
export function setting(name: string, value: string | null): void {
  const kept = readFileSync("/etc/pixgate/pixgate.env", "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith(`${name}=`));
  writeFileSync("/etc/pixgate/pixgate.env", [...kept, ...(value === null ? [] : [`${name}=${value}`]), ""].join("\n"));
}

/** What the operator does again and again, at the terminal that `shell` gives; `second` is another human. */
export function operatorOf(shell: () => Shell, second: () => Browser) {
  /** One of Pixgate's own commands in the form that programs read. */
  const json = async <T>(command: string): Promise<T> =>
    JSON.parse((await shell()(`pixgate ${command} --json`)).stdout) as T;
  return {
    json,
    /** One after the other, each when the one before is ready. */
    async restartAll(): Promise<void> {
      for (const [unit, port] of PROCESSES) {
        await shell()(`systemctl restart ${unit}`);
        await isReady(port);
      }
    },
    /** Another human approves what waits for one. */
    async approvesWaiting(): Promise<void> {
      type Cases = { items: { id: string; proposal: { id: string } }[] };
      const { items } = await json<Cases>("case list --status open --kind second_person_needed");
      assert.equal(items.length, 1);
      const [{ id, proposal }] = items as [Cases["items"][0]];
      const approved = await second().send("POST", `/operator/v1/cases/${id}/approve`, { proposalId: proposal.id });
      assert.equal(approved.status, 200, approved.text);
    },
  };
}
