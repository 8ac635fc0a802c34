import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Who may call, whose account it is, and which key is its own. */
export type Credentials = {
  clientId: string;
  clientSecret: string;
  /** For the control API. */
  controlToken: string;
  /** The one Pix key of the account, an EVP (random) key. */
  pixKey: string;
  /** Eight digits: this PSP in the payment system. */
  ispb: string;
  /** As the payer sees it in the BR Code. */
  ownerName: string;
  city: string;
};

const FIELDS = ["clientId", "clientSecret", "controlToken", "pixKey", "ispb", "ownerName", "city"] as const;

/** Makes `credentials.json` (mode 0600) at the first start and finds it at later ones. The folder is locked. */
export function openCredentials(folder: string): Credentials {
  const path = join(folder, "credentials.json");
  if (existsSync(path)) {
    const found = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
    const missing = FIELDS.find((field) => typeof found[field] !== "string" || found[field] === "");
    if (missing) throw new Error(`${path}: ${missing} is missing`);
    return found as Credentials;
  }
  const made: Credentials = {
    clientId: `client_${randomBytes(12).toString("hex")}`,
    clientSecret: randomBytes(32).toString("base64url"),
    controlToken: `control_${randomBytes(24).toString("base64url")}`,
    pixKey: randomUUID(),
    ispb: String(randomInt(90_000_000, 100_000_000)),
    ownerName: "LOJA PIXGATE SANDBOX",
    city: "SAO PAULO",
  };
  // Renamed into place, so that a kill in between does not leave half a file.
  writeFileSync(`${path}.new`, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return made;
}
