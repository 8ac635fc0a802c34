import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { ConfigError } from "../lib/config-error.ts";
import { readConfig } from "./config.ts";

/** What the others need in order to be read at all. */
const COMPANIONS: readonly NodeJS.ProcessEnv[] = [
  {},
  {
    PIXGATE_PUBLIC_URL: "https://pix.example",
    PIXGATE_OIDC_ISSUER: "https://sign-in.example",
    PIXGATE_OIDC_CLIENT_ID: "pixgate",
    PIXGATE_OIDC_CLIENT_SECRET: "secret",
    PIXGATE_OIDC_ROLE_CLAIM: "groups",
    PIXGATE_OIDC_ROLES: "pix=admin",
  },
  { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.example:4318" },
];

/** Every setting that the gateway reads, as reading finds it: a new one is among them by itself. */
function settings(): Map<string, NodeJS.ProcessEnv> {
  const found = new Map<string, NodeJS.ProcessEnv>();
  for (const companions of COMPANIONS) {
    const env = new Proxy(companions, {
      get(of, name) {
        // With those of its family: PIXGATE_OIDC_…, OTEL_TRACES_….
        const isOfFamily = Object.keys(of).some((one) => one.slice(0, 12) === String(name).slice(0, 12));
        if (!found.has(String(name)) || isOfFamily) found.set(String(name), companions);
        return of[String(name)];
      },
    });
    readConfig(env);
  }
  return found;
}

/** Words of nobody's, values that other readers take for numbers, and what would tear a line or a screen. */
const WORST = [
  " ",
  "x\ny",
  "on\u001b[31m\r",
  "-1",
  "1e999",
  "NaN",
  "9".repeat(40),
  "💸",
  "[::1",
  "a".repeat(100_000),
  "postgres://:::/",
];

/** Settings that take any text, and those of these values that a setting means well by. */
const TAKEN: Readonly<Record<string, readonly string[]>> = {
  PIXGATE_GATEWAY_PASSWORD: WORST,
  PIXGATE_OIDC_CLIENT_ID: WORST,
  PIXGATE_OIDC_CLIENT_SECRET: WORST,
  PIXGATE_OIDC_EMAIL_CLAIM: WORST,
  PIXGATE_OIDC_ROLE_CLAIM: WORST,
  PIXGATE_PROXY_SECRET: ["9".repeat(40), "a".repeat(100_000)],
  PIXGATE_CLOCK_OFFSET: ["-1"],
  // Names: whether a host or a folder has them shows at the start (test/wrong-settings.deep).
  PIXGATE_HOST: ["1e999", "NaN", "9".repeat(40)],
  PIXGATE_DATA_DIR: ["-1", "1e999", "NaN", "9".repeat(40), "💸", "[::1", "postgres://:::/"],
};

describe("A wrong setting", () => {
  test("is refused by one line that names it, whatever its value is", () => {
    const all = settings();
    assert.ok(all.size > 40);
    for (const [name, companions] of all) {
      const wrong = WORST.filter((value) => !TAKEN[name]?.includes(value));
      for (const value of wrong) {
        assert.throws(
          () => readConfig({ ...companions, [name]: value }),
          (error) => {
            assert.ok(error instanceof ConfigError, `${name}: ${error}`);
            assert.match(error.message, /^[^\p{Cc}]{1,300}$/u, name);
            assert.ok(error.message.includes(name), error.message);
            return true;
          },
          `${name}=${JSON.stringify(value.slice(0, 20))} is taken`,
        );
      }
      for (const value of TAKEN[name] ?? []) readConfig({ ...companions, [name]: value });
    }
  });

  test("stands in docs/operating.md, as every setting does", () => {
    const page = readFileSync(new URL("../../../docs/operating.md", import.meta.url), "utf8");
    const rest = [...settings().keys()].filter((name) => !page.includes(`\`${name}`));
    // The page names these by their endings.
    assert.deepEqual(
      rest.filter((name) => !/^OTEL_(EXPORTER_OTLP_(TRACES_)?|TRACES_EXPORTER)/.test(name)),
      [],
    );
  });
});
