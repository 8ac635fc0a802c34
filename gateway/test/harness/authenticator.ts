import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { Browser } from "./browser.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The app on a person's phone, written from RFC 6238 by itself. `later`: steps of 30 seconds from now. */
export function appCode(secret: string, later = 0): string {
  const bits = [...secret].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.from((Math.floor(Date.now() / 30_000) + later).toString(16).padStart(16, "0"), "hex");
  const mac = createHmac("sha1", key).update(step).digest();
  const at = mac[19]! & 15;
  return String((mac.readUInt32BE(at) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, "0");
}

/** Chooses a password where one is given, and sets up an authenticator. @returns the code that was used for it, too. */
export async function enrol(
  browser: Browser,
  password?: string,
): Promise<{ readonly secret: string; readonly code: string; readonly recoveryCodes: readonly string[] }> {
  if (password !== undefined) {
    assert.equal((await browser.send("POST", "/console/api/me/password", { password })).status, 204);
  }
  const made = await browser.send<{ secret: string }>("POST", "/console/api/me/totp", {});
  assert.equal(made.status, 200, made.text);
  const { secret } = made.body;
  type Confirmed = { recoveryCodes: string[]; session: { csrfToken: string } };
  const code = appCode(secret);
  const confirmed = await browser.send<Confirmed>("POST", "/console/api/me/totp/confirm", { code });
  assert.equal(confirmed.status, 200, confirmed.text);
  browser.csrfToken = confirmed.body.session.csrfToken;
  return { secret, code, recoveryCodes: confirmed.body.recoveryCodes };
}
