import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { addressList } from "../lib/addresses.ts";
import { ApiError } from "./errors.ts";
import { clientAddress, requireAllowedIp } from "./ip.ts";

const TRUSTED = addressList(["10.0.0.0/8", "fd00::/8"]);
const from = (remoteAddress: string | undefined, forwarded?: string | string[]) =>
  ({ socket: { remoteAddress }, headers: { "x-forwarded-for": forwarded } }) as never;

describe("the client's address", () => {
  test("is the socket's when no proxy is trusted, whatever the request claims", () => {
    assert.equal(clientAddress(from("203.0.113.9", "198.51.100.1"), null), "203.0.113.9");
    assert.equal(clientAddress(from("::ffff:203.0.113.9"), null), "203.0.113.9");
    assert.equal(clientAddress(from(undefined), null), "");
  });

  test("is the socket's when the socket is not a trusted proxy", () => {
    assert.equal(clientAddress(from("203.0.113.9", "198.51.100.1"), TRUSTED), "203.0.113.9");
  });

  test("is the last hop that is not a trusted proxy", () => {
    const cases: [string | string[] | undefined, string][] = [
      ["198.51.100.1", "198.51.100.1"],
      ["198.51.100.1, 10.9.9.9", "198.51.100.1"],
      ["1.1.1.1, 198.51.100.1,10.9.9.9 , fd00::2", "198.51.100.1"],
      [["1.1.1.1", "198.51.100.1, 10.2.3.4"], "198.51.100.1"],
      ["10.1.1.1, 10.2.2.2", "10.1.1.1"],
      ["198.51.100.1:41234", "198.51.100.1"],
      ["[2001:DB8::1]:41234", "2001:db8::1"],
      ["2001:db8::1", "2001:db8::1"],
      ["::ffff:198.51.100.1", "198.51.100.1"],
      [undefined, "10.0.0.1"],
      ["", "10.0.0.1"],
    ];
    for (const [header, address] of cases) {
      assert.equal(clientAddress(from("10.0.0.1", header), TRUSTED), address, String(header));
      assert.equal(clientAddress(from("::ffff:10.0.0.1", header), TRUSTED), address, String(header));
    }
  });

  test("a hop that cannot be read is not skipped", () => {
    for (const junk of ["unknown", "_hidden", "1.2.3", "198.51.100.1;", "fe80::1%eth0", "a,", "]["]) {
      assert.equal(clientAddress(from("10.0.0.1", `198.51.100.1, ${junk}`), TRUSTED), "10.0.0.1", junk);
    }
    assert.equal(clientAddress(from("10.0.0.1", "198.51.100.1, junk, 10.2.2.2"), TRUSTED), "10.2.2.2");
  });

  test("what a client writes before its own address changes nothing", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom("198.51.100.1", "2001:db8::7"),
        fc.nat({ max: 3 }),
        (said, own, proxies) => {
          const header = [said, own, ...Array.from({ length: proxies }, (_, i) => `10.0.0.${i + 2}`)].join(", ");
          assert.equal(clientAddress(from("10.0.0.1", header), TRUSTED), own);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe("a credential's list of addresses", () => {
  const refused = (error: unknown) =>
    error instanceof ApiError && error.code === "IP_NOT_ALLOWED" && error.status === 403;

  test("lets its own through and nobody else", () => {
    const caller = { allowedIps: ["192.0.2.0/24", "2001:db8::/32"] };
    for (const address of ["192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1"]) requireAllowedIp(caller, address);
    for (const address of ["192.0.3.1", "2001:db9::1", "", "192.0.2.1, 192.0.2.1"]) {
      assert.throws(() => requireAllowedIp(caller, address), refused, address);
    }
  });

  test("none lets everybody through, an empty one nobody", () => {
    requireAllowedIp({ allowedIps: null }, "192.0.2.1");
    assert.throws(() => requireAllowedIp({ allowedIps: [] }, "192.0.2.1"), refused);
  });
});
