import assert from "node:assert/strict";
import { test } from "node:test";
import { isLoopbackAddress, isPublicAddress } from "./public-addresses.ts";

test("addresses of the public internet are public", () => {
  for (const address of [
    "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
    "168.63.129.15", "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255", "192.169.0.0",
    "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700:4700::1111", "2001:200::1", "2001:4860:4860::8888",
    "2620:fe::fe", "2a00:1450:4001::5efe", "::ffff:8.8.8.8",
  ]) assert.equal(isPublicAddress(address), true, address);
}); // biome-ignore format: a list reads better in rows

test("private, local, shared, reserved and multicast IPv4 addresses are not", () => {
  for (const address of [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1", "127.255.255.254",
    "168.63.129.16", "169.254.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1",
    "192.88.99.1", "192.168.0.1", "192.168.255.255", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1",
    "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
  ]) assert.equal(isPublicAddress(address), false, address);
}); // biome-ignore format: a list reads better in rows

test("special IPv6 addresses, and IPv4 addresses in every disguise, are not", () => {
  for (const address of [
    "::", "::1", "fc00::1", "fd00:ec2::254", "fe80::1", "febf::1", "fec0::1", "ff02::1", "ff0e::1", "100::1",
    "2001:db8::1", "3fff::1", "3ffe::1", "2001::1", "2001:10::1", "2001:20::1", "4000::1", "5f00::1", "8000::1", "e000::1",
    // Mapped, compatible, translated, NAT64 (well-known and local), 6to4, Teredo, ISATAP.
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe", "::127.0.0.1", "::a00:1", "::ffff:0:127.0.0.1",
    "64:ff9b::127.0.0.1", "64:ff9b::808:808", "64:ff9b:1::a00:1", "2002:7f00:1::", "2002:a00:1::1", "2002:808:808::1",
    "2001:0:7f00:1::", "2606:4700::5efe:127.0.0.1", "2606:4700::200:5efe:a00:1",
  ]) assert.equal(isPublicAddress(address), false, address);
}); // biome-ignore format: a list reads better in rows

test("what is not an address is not public", () => {
  for (const text of ["", "localhost", "1.1.1", "1.1.1.1.1", "01.1.1.1", "1.1.1.1:80", "[2606:4700::1]", "fe80::1%eth0", "2606::1%1"]) {
    assert.equal(isPublicAddress(text), false, text);
  }
}); // biome-ignore format: a list reads better in rows

test("loopback is recognised, mapped too, and other disguises of it are not", () => {
  for (const address of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1"]) {
    assert.equal(isLoopbackAddress(address), true, address);
  }
  for (const address of [
    "0.0.0.0",
    "::",
    "10.0.0.1",
    "::127.0.0.1",
    "64:ff9b::127.0.0.1",
    "2002:7f00:1::",
    "localhost",
  ]) {
    assert.equal(isLoopbackAddress(address), false, address);
  }
});
