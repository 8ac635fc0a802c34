/**
 * The plugin for WooCommerce in a real shop, packed and unpacked as its users get it. The shop is not ours to bring: the test runs
 * where `PIXGATE_WORDPRESS` is a folder with WordPress, WooCommerce in its wp-content/plugins, and `PIXGATE_WORDPRESS_DATABASE` the
 * host of a MariaDB or MySQL (`localhost:/run/mysqld/mysqld.sock`) with a database `wordpress`, which it empties.
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { launchBrowser } from "../../../console/test/launch-browser.ts";
import { packPlugin } from "../../../scripts/woocommerce.ts";
import { eventually } from "../harness/eventually.ts";
import { freePort } from "../harness/free-port.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const PLUGIN = join(ROOT, "plugins/woocommerce/pixgate-for-woocommerce");
const TESTS = join(ROOT, "plugins/woocommerce/tests");
const { PIXGATE_WORDPRESS: wordpress, PIXGATE_WORDPRESS_DATABASE: database } = process.env;
const run = promisify(execFile);
/** No shop of a test sends mail. */
const PHP = ["-d", "sendmail_path=/bin/true"];

const folder = mkdtempSync(join(tmpdir(), "pixgate-woocommerce-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("the plugin is packed with its client, its translation and its licence, and without its tests", () => {
  const names = packPlugin(ROOT, "HEAD", join(folder, "plugin.zip"));
  for (const name of ["pixgate-for-woocommerce.php", "client/autoload.php", "client/Webhook.php", "LICENSE"])
    assert.ok(names.includes(name), names.join(" "));
  assert.ok(names.some((name) => name.endsWith("pt_BR.l10n.php")));
  assert.deepEqual(
    names.filter((name) => /test/.test(name)),
    [],
  );
});

const hasPhp = spawnSync("php", ["--version"], { stdio: "ignore" }).status === 0;

test("every file of the plugin and of its tests is PHP", { skip: !hasPhp && "there is no php" }, async () => {
  for (const file of globSync("plugins/woocommerce/**/*.php", { cwd: ROOT }))
    await run("php", ["-l", join(ROOT, file)]);
});

test("every text of the plugin has its translation, and each translation its text", () => {
  const read = (file: string) => readFileSync(join(PLUGIN, file), "utf8");
  const used = globSync("includes/*.php", { cwd: PLUGIN }).flatMap((file) =>
    [...read(file).matchAll(/\b(?:__|esc_(?:html|attr)__)\(\s*'([^']+)',\s*'pixgate-for-woocommerce'/g)].map(
      ([, text]) => text,
    ),
  );
  const messages = read("languages/pixgate-for-woocommerce-pt_BR.l10n.php").split("'messages' => [")[1]!;
  const known = [...messages.matchAll(/^ +'([^']+)' => '/gm)].map(([, text]) => text);
  assert.deepEqual([...new Set(used)].sort(), known.sort());
});

describe("a shop with the plugin", {
  skip: !wordpress || !database ? "PIXGATE_WORDPRESS names no shop" : false,
}, () => {
  let gateway: TestGateway;
  let server: ChildProcess;
  let address = "";
  before(async () => {
    gateway = await startGateway();
    const plugins = join(wordpress!, "wp-content/plugins");
    rmSync(join(plugins, "pixgate-for-woocommerce"), { recursive: true, force: true });
    packPlugin(ROOT, "HEAD", join(folder, "plugin.zip"));
    await run("unzip", ["-q", join(folder, "plugin.zip"), "-d", plugins]);
    assert.ok(readdirSync(plugins).includes("woocommerce"), `${plugins} has no woocommerce`);
    const port = await freePort();
    address = `http://127.0.0.1:${port}`;
    server = spawn("php", [...PHP, "-S", `127.0.0.1:${port}`, "-t", wordpress!], {
      env: { PATH: process.env.PATH, PHP_CLI_SERVER_WORKERS: "4" },
      cwd: wordpress,
      stdio: "ignore",
      detached: true,
    });
  });
  after(async () => {
    if (server.pid !== undefined) process.kill(-server.pid, "SIGTERM");
    await gateway.end();
  });

  for (const [where, ...options] of [["WooCommerce's own tables"], ["posts, as older shops do", "posts"]] as const) {
    test(`that keeps its orders in ${where} sells, hears of payments, and refunds`, { timeout: 600_000 }, async (t) => {
      await run("php", [...PHP, join(TESTS, "install.php"), wordpress!, address, database!, ...options]);
      const { baseUrl, clientId, clientSecret } = gateway.sandbox;
      const credential = { PIXGATE_CLIENT_ID: clientId, PIXGATE_CLIENT_SECRET: clientSecret };
      const env = { ...process.env, ...credential, PIXGATE_URL: new URL(baseUrl).origin };
      await eventually("the shop to answer", () =>
        fetch(address, { redirect: "manual" }).then(
          ({ status }) => status < 500,
          () => false,
        ),
      );
      const { stdout } = await run("php", [...PHP, join(TESTS, "run.php")], { env }).catch(
        (error: { stdout: string; stderr: string }) => assert.fail(error.stdout + error.stderr),
      );
      assert.match(stdout, /\n43 passed, 0 failed\n$/);
      t.diagnostic(stdout.split("\n").at(-3)!);
      await gateway.verify();
    });
  }

  test("sells in a browser: Pix is chosen at the checkout of blocks, the code is shown, and the page hears of the payment", {
    timeout: 300_000,
  }, async () => {
    const products = (await (await fetch(`${address}/wp-json/wc/store/v1/products`)).json()) as { id: number }[];
    const browser = await launchBrowser();
    try {
      const page = await (await browser.newContext()).newPage();
      const errors: string[] = [];
      page.on("pageerror", ({ message }) => errors.push(message));
      page.setDefaultTimeout(60_000);
      await page.goto(`${address}/?add-to-cart=${products[0]!.id}`, { waitUntil: "domcontentloaded" });
      await page.goto(`${address}/checkout/`, { waitUntil: "domcontentloaded" });
      const fields = {
        ...{ email: "maria@example.com", "billing-first_name": "Maria", "billing-last_name": "Silva" },
        ...{ "billing-address_1": "Rua A, 1", "billing-city": "São Paulo", "billing-postcode": "01310-100" },
      };
      for (const [id, value] of Object.entries(fields)) await page.locator(`#${id}`).fill(value);
      await page.locator("#billing-state").selectOption("SP");
      // The only method, so it is chosen; its name and its sentence come from our script.
      await page.getByText("Pague com Pix.").waitFor();
      await page.locator(".wc-block-components-checkout-place-order-button").click();
      await page.waitForURL(/order-received/);
      const code = await page.locator("#pixgate-code").inputValue();
      assert.match(code, /^000201/);
      const order = /order-received\/(\d+)/.exec(page.url())![1]!;
      const { body } = await gateway.merchant.get<{ items: { id: string; metadata: { order?: string } }[] }>(
        "/transactions?type=payment&status=pending&limit=100",
      );
      const { id } = body.items.find(({ metadata }) => metadata?.order === order)!;
      await gateway.merchant.post(`/sandbox/pix/${id}/pay`, {});
      await page.locator(".pixgate-pay").waitFor({ state: "detached" });
      assert.match(await page.locator("body").innerText(), /Processing|Processando|received|recebido/i);
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
    }
  });
});
