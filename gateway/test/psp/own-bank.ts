/** The contract of `psp/psp.ts`, held against the one bank that `PIXGATE_BANKS` names: `npm run test:bank`. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Bank } from "../../src/psp/bank.ts";
import { BANKS } from "../../src/psp/catalogue.ts";
import { keepsContract } from "./contract.ts";

type Meet = (given: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

const module = process.env.PIXGATE_BANKS ?? "";
const loaded = BANKS.at(-1)!;
const file = createRequire(join(process.cwd(), "x")).resolve(module);
const { meet } = (await import(pathToFileURL(file).href)) as { readonly meet?: Meet };
assert.ok(meet, `${module} exports no \`meet\`, which says how its bank is found at the simulator`);

/** The bank, whose settings are made of the simulator's address. */
const bank: Bank = {
  ...loaded,
  create(settings, deps) {
    const { baseUrl, tokenUrl: _tokenUrl, controlUrl, controlToken, ...given } = settings;
    const url = new URL(String(baseUrl)).origin;
    return loaded.create({ ...meet({ url, ...given }), controlUrl, controlToken }, deps);
  },
};

keepsContract({ meetings: [{ bank, dialect: "bcb", tls: "none" }] });
