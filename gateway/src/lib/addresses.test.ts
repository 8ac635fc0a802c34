import assert from "node:assert/strict";
import { BlockList, isIPv4 } from "node:net";
import { describe, test } from "node:test";
import fc from "fast-check";
import { addressList, contains, type Network, parseAddress, parseNetwork } from "./addresses.ts";

const v4 = fc.ipV4();
/** With repeated octets, so that networks match now and then. */
const v6 = fc.oneof(
  fc.ipV6(),
  fc
    .array(fc.constantFrom("0", "1", "ffff", "2001", "db8", "8000"), { minLength: 8, maxLength: 8 })
    .map((groups) => groups.join(":")),
);
const masked = (text: string, prefix: number): string => {
  const bytes = parseAddress(text)!.toByteArray();
  const bits = 8 * bytes.length;
  const value = (BigInt(`0x${Buffer.from(bytes).toString("hex")}`) >> BigInt(bits - prefix)) << BigInt(bits - prefix);
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".");
  return Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16)).join(":");
};

describe("IP addresses", () => {
  test("what is not exactly an address is none", () => {
    for (const text of [
      "", " ", "1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.256", "0x1.2.3.4", "1.2.3.4 ", " 1.2.3.4", "1.2.3.4:80",
      "[::1]", "[::1]:80", ":::", "1::2::3", "12345::", "fe80::1%eth0", "fe80::1%", "::ffff:1.2.3", "g::", "localhost",
      "1.2.3.4\0", "１.2.3.4",
    ]) {
      assert.equal(parseAddress(text), null, JSON.stringify(text));
    } // biome-ignore format: a list reads better in rows
  });

  test("every notation of an address is the same address", () => {
    const same = ["2001:db8::1", "2001:0db8:0:0::0:1", "2001:DB8:0:0:0:0:0:1", "2001:db8::0.0.0.1"];
    for (const text of same) assert.deepEqual(parseAddress(text), parseAddress(same[0]!), text);
    for (const text of ["::ffff:192.0.2.1", "::FFFF:c000:201", "0:0:0:0:0:ffff:192.0.2.1"]) {
      assert.deepEqual(parseAddress(text), parseAddress("192.0.2.1"), text);
    }
    assert.notDeepEqual(parseAddress("::192.0.2.1"), parseAddress("192.0.2.1"));
  });

  test("a network needs a whole prefix within the address, and no bits beyond it", () => {
    for (const text of [
      "1.2.3.4/33", "1.2.3.4/-1", "1.2.3.4/", "1.2.3.4/08", "1.2.3.0/24/24", "1.2.3.4/+8", "1.2.3.4/8.0", "10.0.0.1/8",
      "::/129", "::1/64", "::ffff:1.2.3.4/95", "::ffff:1.2.3.4/24", "/8", "1.2.3.0/ 24", "1.2.3.0/1e1",
    ]) {
      assert.equal(parseNetwork(text), null, text);
    } // biome-ignore format: a list reads better in rows
    assert.deepEqual(parseNetwork("::ffff:192.0.2.0/120"), parseNetwork("192.0.2.0/24"));
    assert.equal(parseNetwork("0.0.0.0/0")?.prefix, 0);
    assert.equal(parseNetwork("192.0.2.1")?.prefix, 32);
  });

  test("a list holds its addresses and networks, whichever way the address is written", () => {
    const list = addressList(["192.0.2.0/24", "2001:db8::/32", "203.0.113.7"]);
    for (const text of ["192.0.2.255", "::ffff:192.0.2.1", "2001:db8:ffff::", "203.0.113.7"]) assert.ok(list.has(text));
    for (const text of ["192.0.3.0", "2001:db9::", "203.0.113.8", "::ffff:203.0.113.8", "nonsense", ""])
      assert.ok(!list.has(text));
    assert.ok(!addressList(["::/0"]).has("192.0.2.1"), "all of IPv6 is not IPv4");
    assert.ok(!addressList([]).has("192.0.2.1"));
    assert.throws(() => addressList(["192.0.2.0/24", "10.0.0.1/8"]), /"10\.0\.0\.1\/8" is not an IP address/);
  });

  test("membership is what node's BlockList says", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.tuple(v4, v4, fc.nat({ max: 32 }), fc.boolean()),
          fc.tuple(v6, v6, fc.nat({ max: 128 }), fc.boolean()),
        ),
        ([base, other, prefix, near]) => {
          const family = isIPv4(base) ? "ipv4" : "ipv6";
          if (parseAddress(base)!.kind() !== family) return;
          const network = parseNetwork(`${masked(base, prefix)}/${prefix}`) as Network;
          const address = near ? base : other;
          const oracle = new BlockList();
          oracle.addSubnet(masked(base, prefix), prefix, family);
          assert.equal(contains(network, parseAddress(address)!), oracle.check(address, family));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("an address survives being written in full", () => {
    fc.assert(
      fc.property(fc.oneof(v4, v6), (text) => {
        const address = parseAddress(text)!;
        assert.deepEqual(parseAddress(masked(text, address.kind() === "ipv4" ? 32 : 128)), address);
      }),
    );
  });

  test("nothing makes the parser throw, and what it takes has its prefix in range", () => {
    const letter = fc.constantFrom(..."0123456789abcdef:.:./%[] ");
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: letter, maxLength: 48 })), (text) => {
        const network = parseNetwork(text);
        assert.ok(
          network === null || (network.prefix >= 0 && network.prefix <= (network.address.kind() === "ipv4" ? 32 : 128)),
        );
      }),
      { numRuns: 5_000 },
    );
  });
});
