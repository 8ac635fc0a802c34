import assert from "node:assert/strict";
import { test } from "node:test";
import { readSandboxAddress } from "./sandbox-address.ts";

test("an address is read in any spelling, and kept as a browser writes it; a public one or a name is refused", () => {
  assert.deepEqual(readSandboxAddress("192.168.0.10:80", 8082), { host: "192.168.0.10", port: 80 });
  assert.deepEqual(readSandboxAddress("10.1.2.3", 8082), { host: "10.1.2.3", port: 8082 });
  assert.deepEqual(readSandboxAddress("[FD00:0:0:0:0:0:0:1]:8090", 8082), { host: "fd00::1", port: 8090 });
  assert.deepEqual(readSandboxAddress("0:0:0:0:0:0:0:1", 8082), { host: "::1", port: 8082 });
  assert.deepEqual(readSandboxAddress("[::ffff:10.0.0.1]", 8082), { host: "::ffff:a00:1", port: 8082 });
  for (const wrong of ["8.8.8.8", "localhost", "[2001:db8::1]:80", "10.0.0.1:70000", "10.0.0.1:x"]) {
    assert.throws(() => readSandboxAddress(wrong, 8082), /PIXGATE_SANDBOX_ADDRESS/, wrong);
  }
});
