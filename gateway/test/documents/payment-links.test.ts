/** The guide to payment links: its commands and its shop's program run as the page shows them, and the test plays the payer. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { eventually } from "../harness/eventually.ts";
import { freePort } from "../harness/free-port.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const PAGE = readFileSync(new URL("../../../docs/guides/payment-links.md", import.meta.url), "utf8");
const README = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
const SDK = new URL("../../../sdk/src/webhooks/index.ts", import.meta.url).href;
const blocksOf = (language: string) =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(([, block]) => block!);

describe("The guide to payment links", () => {
  let gateway: TestGateway;
  let token: string;
  before(async () => {
    const port = String(await freePort());
    gateway = await startGateway({ PIXGATE_PORT: port, PIXGATE_PUBLIC_URL: `http://localhost:${port}` });
    const { baseUrl, clientId, clientSecret } = gateway.sandbox;
    const login = await fetch(`${baseUrl}/auth`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ client_id: clientId, client_secret: clientSecret }),
    });
    token = ((await login.json()) as { access_token: string }).access_token;
  });
  after(() => gateway.end());

  /** Runs commands as a reader of the quick start has its terminal 3, and gives the lines that they print. */
  async function paste(commands: string, env: Readonly<Record<string, string>> = {}): Promise<string[]> {
    const [json] = /^json\(\) .*$/m.exec(README)!;
    const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", `${json}\n${commands}`], {
      env: {
        PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
        // The gateway is on this machine, whatever proxy leads to others.
        no_proxy: "127.0.0.1,localhost",
        BASE: gateway.sandbox.baseUrl,
        TOKEN: token,
        ...env,
      },
    });
    return stdout.trim().split("\n");
  }

  /** Opens the link, fills it in, and gives the address of the charge's page. */
  async function startCharge(url: string): Promise<string> {
    const form = await (await fetch(url)).text();
    assert.match(form, /name="f\.email"/);
    const [, key] = /name="key" value="([\w-]+)"/.exec(form)!;
    const sent = new URLSearchParams({ key: key!, "f.email": "maria@example.com" });
    const posted = await fetch(url, { method: "POST", body: sent, redirect: "manual" });
    assert.equal(posted.status, 303);
    return new URL(posted.headers.get("location")!, url).href;
  }

  /** Runs the shop's program, and gives what it answers to each of these paths. */
  async function askShop(secret: string, paths: readonly string[]): Promise<{ status: number; text: string }[]> {
    const [program] = blocksOf("js");
    const code = program!.replace("@pixgate/sdk/webhooks", SDK);
    const shop = spawn(process.execPath, ["--input-type=module", "--eval", code], {
      env: { ...process.env, CHECKOUT_SECRET: secret, PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const [line] = (await once(shop.stdout, "data")) as [Buffer];
      const answers = paths.map(async (path) => {
        const response = await fetch(line.toString().trim() + path);
        return { status: response.status, text: await response.text() };
      });
      return await Promise.all(answers);
    } finally {
      shop.kill("SIGKILL");
    }
  }

  test("leads from a link to a return that the shop verifies, and a forged one is refused", async () => {
    const [settings, link, pay, count, close, ...rest] = blocksOf("bash");
    assert.ok(close !== undefined && rest.length === 0);
    const print = `printf '%s\\n' "$CHECKOUT_SECRET" "$LINK"`;
    const [url, secret, LINK] = (await paste(`${settings}${link}${print}`)) as [string, string, string];
    assert.match(url, /^http:\/\/localhost:\d+\/pay\//);
    assert.match(secret, /^chksec_/);

    const charge = await startCharge(url);
    // On a busy machine the call gives up after ten seconds and shows no status, while the gateway goes on to book it.
    const [said] = await paste(pay!);
    assert.ok(said === "completed" || said === "undefined", said);
    await eventually("the page leads back", async () => (await (await fetch(charge)).text()).includes("/return"));
    const left = await fetch(`${charge}/return`, { redirect: "manual" });
    const back = new URL(left.headers.get("location")!);
    assert.equal(back.origin + back.pathname, "https://shop.example/thanks");
    const forged = new URL(back);
    forged.searchParams.set("status", "refunded");
    const paths = [back, forged].map(({ pathname, search }) => pathname + search);
    const [genuine, refused] = await askShop(secret, paths);
    const id = back.searchParams.get("transaction")!;
    assert.deepEqual(genuine, { status: 200, text: `${id}: Paid, see you there.\n` });
    assert.deepEqual(refused, { status: 403, text: "This address is not valid, or too old.\n" });
    assert.equal((await askShop("chksec_another", paths))[0]!.status, 403);

    const { body: paid } = await gateway.merchant.get<Record<string, unknown>>(`/transactions/${id}`);
    assert.deepEqual(
      [paid.status, paid.externalReference, paid.paymentLinkId, paid.metadata],
      [
        "completed",
        "bread-workshop",
        (JSON.parse(LINK) as { id: string }).id,
        { fields: { email: "maria@example.com" } },
      ],
    );
    assert.deepEqual(await paste(count!, { LINK }), ["1"]);
    assert.deepEqual(await paste(close, { LINK }), ["disabled"]);
    const form = await (await fetch(url)).text();
    assert.doesNotMatch(form, /<form/);
  });
});
