import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../lib/config-error.ts";
import type { Keys } from "../../lib/keys.ts";
import { deriveKey, sha256 } from "../../lib/secrets.ts";
import type { Config } from "../../settings/config.ts";

/** The file of the key, where the environment gives none. */
export const keyFile = ({ dataDir }: Pick<Config, "dataDir">): string => join(dataDir, "secret.key");

/** The master key: from the environment, or made once and stored in the data directory with mode 0600. */
export function readMasterKey(config: Config, random: (bytes: number) => Uint8Array): Buffer {
  if (config.secretKey) return config.secretKey;
  const file = keyFile(config);
  try {
    // 'wx' lets one of two simultaneous first starts win; the other one reads what it wrote.
    writeFileSync(file, Buffer.from(random(32)).toString("base64"), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readKeyFile(config);
}

/** @throws ConfigError where the file holds something else. */
export function readKeyFile(config: Pick<Config, "dataDir">): Buffer {
  const key = Buffer.from(readFileSync(keyFile(config), "utf8"), "base64");
  if (key.length !== 32) throw new ConfigError(`${keyFile(config)} does not hold a key of 32 bytes`);
  return key;
}

const derive = (master: Buffer): Omit<Keys, "other"> => ({
  tokens: deriveKey(master, "tokens"),
  sealing: deriveKey(master, "sealing"),
  notifications: deriveKey(master, "notifications"),
  auditLog: deriveKey(master, "audit log"),
  checkout: deriveKey(master, "checkout"),
  signIn: deriveKey(master, "sign-in"),
});

export const deriveKeys = (master: Buffer, other: Buffer | null): Keys => ({
  ...derive(master),
  other: other && derive(other),
});

/** Identifies the master key of a database without revealing it. */
export const fingerprintOf = (master: Buffer): string => sha256(deriveKey(master, "fingerprint")).toString("hex");

/** Whether a database, by its fingerprint, belongs to this master key, or to the other one during an exchange. */
export const isKeyOf = (fingerprint: string, master: Buffer, other: Buffer | null): boolean =>
  fingerprint === fingerprintOf(master) || (other !== null && fingerprint === fingerprintOf(other));
