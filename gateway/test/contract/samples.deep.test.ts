/** The reference page's samples against the SDK's types and a running sandbox, and the page itself in a browser. */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../../../console/test/launch-browser.ts";
import { curl, php, python, typescript } from "../../src/http/docs/samples.js";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { sampled, sampledOperations } from "./sampled-operations.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const SDK = join(ROOT, "sdk/src/index.ts");
/** A busy machine takes minutes for what an idle one does in seconds. */
const TIMEOUT = { timeout: 600_000 };
const absent = (command: string) =>
  spawnSync(command, ["--version"]).status === 0 ? false : `${command} is not installed`;

/** Debian has the extension that the samples call in a package of its own. */
const phpWithoutCurl = () =>
  spawnSync("php", ["-r", "exit(extension_loaded('curl') ? 0 : 1);"]).status === 0 ? false : "PHP has no curl";

describe("the samples of the reference page", () => {
  let gateway: TestGateway;
  const folder = mkdtempSync(join(tmpdir(), "pixgate-samples-"));
  before(async () => {
    gateway = await startGateway();
  });
  after(async () => {
    await gateway.end();
    rmSync(folder, { recursive: true, force: true });
  });

  test("type-check against the SDK for every operation", TIMEOUT, async () => {
    const all = sampledOperations().map(({ call }) => typescript(call, "https://pay.example.com"));
    const scopes = all.map((sample) => `{\n${sample.replace(/^import .*\n/gm, "")}}\n`);
    const imports = new Set(all.flatMap((sample) => sample.match(/^import .* from "node:.*\n/gm) ?? []));
    const file = join(folder, "all.ts");
    const sdk = `import { Pixgate, PixgateOperator } from ${JSON.stringify(SDK)};\n`;
    writeFileSync(file, [sdk, ...imports, ...scopes].join(""));
    const config = {
      extends: join(ROOT, "tsconfig.json"),
      compilerOptions: { incremental: false, typeRoots: [join(ROOT, "node_modules/@types")] },
      files: [file],
      include: [],
    };
    // A module: samples await outside of any function.
    writeFileSync(join(folder, "package.json"), '{"type": "module"}');
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const { stdout } = await run(process.execPath, [tsc, "-p", folder]).catch((error) => error as { stdout: string });
    assert.equal(stdout, "");
    assert.ok(all.length > 100);
  });

  /** Runs the sample that issues a charge: the answer is shown, and the charge is there. */
  async function issues(language: string, sampleOf: typeof curl, command: (source: string) => [string, string[]]) {
    const externalReference = `sample-${language}`;
    const body = JSON.stringify({ amount: 25.9, description: "Sample's charge", externalReference });
    const source = sampleOf(sampled("charges.create", { body }), gateway.running.url);
    const { stdout } = await run(...command(source), {
      env: {
        ...process.env,
        PIXGATE_TOKEN: gateway.merchant.token,
        PIXGATE_CLIENT_ID: gateway.sandbox.clientId,
        PIXGATE_CLIENT_SECRET: gateway.sandbox.clientSecret,
      },
    });
    assert.match(stdout, /25\.9/);
    const found = await gateway.merchant.get<{ amount: number }>(`/transactions/${externalReference}`);
    assert.equal(found.status, 200, found.text);
    assert.equal(found.body.amount, 25.9);
  }
  const written = (name: string, source: string) => {
    writeFileSync(join(folder, name), source);
    return join(folder, name);
  };

  test("run: curl", { ...TIMEOUT, skip: absent("curl") || absent("uuidgen") }, () =>
    issues("curl", curl, (source) => ["bash", ["-c", source]]),
  );
  test("run: TypeScript", TIMEOUT, () =>
    issues("typescript", typescript, (source) => [
      process.execPath,
      [written("charge.mts", source.replace('"@pixgate/sdk"', JSON.stringify(SDK)))],
    ]),
  );
  test("run: Python", { ...TIMEOUT, skip: absent("python3") }, () =>
    issues("python", python, (source) => ["python3", [written("charge.py", source)]]),
  );
  test("run: PHP", { ...TIMEOUT, skip: absent("php") || phpWithoutCurl() }, () =>
    issues("php", php, (source) => ["php", [written("charge.php", source)]]),
  );

  test("follow the form in a browser, which signs in, reads the account and issues a charge", TIMEOUT, async () => {
    const browser = await launchBrowser();
    try {
      await useThePage(browser);
    } finally {
      await browser.close();
    }
  });

  async function useThePage(browser: Browser) {
    const context = await browser.newContext();
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => {
      if (/Content Security Policy/.test(message.text())) problems.push(message.text());
    });
    const open = async (summary: string) => {
      const article = page.getByRole("article", { name: summary, exact: true });
      await article.locator("summary").first().click();
      return article;
    };
    await page.goto(`${gateway.running.url}/docs`);
    const { clientId, clientSecret } = gateway.sandbox;

    await signIn(page, clientId, `${clientSecret}x`);
    const state = page.locator("#access-state");
    await state.getByText(/credential|secret/i).waitFor();
    assert.equal(await page.locator("#token").inputValue(), "");
    await page.locator("#client-secret").fill(clientSecret);
    await page.getByRole("button", { name: "Exchange" }).click();
    await state.getByText(/Valid for/).waitFor();
    assert.equal(await page.locator("#client-secret").inputValue(), "");

    const account = page.locator('[id="account.get"]');
    await account.locator("summary").first().click();
    await account.getByRole("button", { name: "Send" }).click();
    await account.getByText("200 OK").waitFor();
    assert.match((await account.getByLabel("Body of the answer").textContent())!, /"balance"/);

    const charge = await open("Issue a PIX charge");
    await charge
      .getByLabel("Body", { exact: true })
      .fill('{"amount": 25.90, "description": "Tea", "externalReference": "from-the-page"}');
    await charge.getByRole("button", { name: "Python" }).focus();
    await page.keyboard.press("Enter");
    assert.match((await charge.getByLabel("Sample in Python").textContent())!, /"externalReference": "from-the-page"/);
    await charge.getByRole("button", { name: "Send" }).click();
    await charge.getByText("201 Created").waitFor();
    const found = await gateway.merchant.get("/transactions/from-the-page");
    assert.equal(found.status, 200, found.text);

    await page.reload();
    const again = await open("Issue a PIX charge");
    await again.getByLabel("Sample in Python").waitFor();
    const kept = await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])");
    assert.equal(kept, '[{"pixgate-reference-language":"python"},{},""]');
    assert.deepEqual(problems, []);
  }

  async function signIn(page: Page, clientId: string, clientSecret: string) {
    await page.getByRole("button", { name: "Get one…" }).click();
    await page.locator("#client-id").fill(clientId);
    await page.locator("#client-secret").fill(clientSecret);
    await page.getByRole("button", { name: "Exchange" }).click();
  }
});
