import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { zip } from "./zip.ts";

type Files = Parameters<typeof zip>[0];
async function zipped(files: Files): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of zip(files)) pieces.push(piece);
  return Buffer.concat(pieces);
}

const FILES = [
  { name: "dispute.json", bytes: Buffer.from('{"a":"ção"}') },
  { name: "empty", bytes: Buffer.alloc(0) },
  { name: "photo 1.png", bytes: Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7919) % 251)) },
];

test("an archive is the same for the same files, and names that lead elsewhere are refused", async () => {
  assert.ok((await zipped(FILES)).equals(await zipped(FILES)));
  for (const name of ["../a", "/a", "a/b", "..", "", "a\\b"])
    await assert.rejects(zipped([{ name, bytes: Buffer.alloc(0) }]), /not a name/, name);
});

test("an archive is unpacked by unzip, byte for byte", {
  skip: spawnSync("unzip", ["-v"]).error !== undefined && "there is no unzip",
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-zip-"));
  try {
    writeFileSync(join(folder, "a.zip"), await zipped(FILES));
    assert.match(execFileSync("unzip", ["-t", "a.zip"], { cwd: folder, encoding: "utf8" }), /No errors detected/);
    execFileSync("unzip", ["-q", "a.zip"], { cwd: folder });
    for (const { name, bytes } of FILES) assert.ok(readFileSync(join(folder, name)).equals(bytes), name);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
