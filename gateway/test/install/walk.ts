/** The walk itself, in a machine of its own: `install.deep.test.ts` starts it. Each test goes on where the one before ended. */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";
import { Webhook } from "standardwebhooks";
import { enrol } from "../harness/authenticator.ts";
import { Browser } from "../harness/browser.ts";
import { eventually } from "../harness/eventually.ts";
import { allReady, operatorOf, setting, step } from "./operator.ts";
import { blocksOf, fill, inline, openShell, type Shell, section } from "./page.ts";
import { imitateSystemd } from "./systemd.ts";
import {
  CA,
  FOLDER,
  makeMachine,
  placeCertificates,
  psql,
  startNginx,
  startPostgres,
  startShop,
  stopPostgres,
} from "./world.ts";

const [certificates, postgresBin, machine] = process.argv.slice(2) as [string, string, string | undefined];
const HOME = join(FOLDER, "home");
const [OWNER, GATEWAY] = ["owner-of-the-books", "password-of-the-gateway"];
const PROXY_SECRET = "a-secret-of-the-proxy-0123456789abcdef";
const evening = blocksOf(section("## The first evening"));
const [roles, migrateSchema, firstToken, bankFile, account, charge] = evening as [
  string,
  string,
  string,
  string,
  string,
  string,
];
const url = (user: string, password: string, database = "pixgate") =>
  `postgres://${user}:${password}@db.internal/${database}?sslmode=verify-full`;

let systemd: Awaited<ReturnType<typeof imitateSystemd>>;
let shop: Awaited<ReturnType<typeof startShop>>;
let nginx: ChildProcess;
let bank: ChildProcess;
let shell: Shell;
let masterKey: string;
let link: string;
let maria: Browser;
let institution: string;

before(async () => {
  makeMachine(machine);
  placeCertificates(certificates);
  startPostgres(postgresBin);
  systemd = await imitateSystemd(FOLDER);
  shop = await startShop();
  const PATH = `${systemd.commands}:/opt/pixgate/node_modules/.bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`;
  shell = openShell({ PATH, HOME, LANG: "C.UTF-8", NODE_EXTRA_CA_CERTS: CA }, FOLDER);
});
after(async () => {
  await systemd?.stopAll();
  for (const child of [nginx, bank]) child?.kill();
  shop?.stop();
  stopPostgres(postgresBin);
});

const { json, restartAll, approvesWaiting } = operatorOf(
  () => shell,
  () => maria,
);

step("1 to 4: database, master key, schema, first token, first person", async () => {
  psql(
    fill(roles, [
      ["'…'", `'${OWNER}'`],
      ["'…'", `'${GATEWAY}'`],
    ]),
  );
  masterKey = (await shell(inline(section("## The first evening"), "openssl rand"))).stdout.trim();
  await shell(fill(migrateSchema, [["pixgate:…@", `pixgate:${OWNER}@`]]));
  const { stdout } = await shell(fill(firstToken, [["SECRET_KEY=…", `SECRET_KEY=${masterKey}`]]));
  const token = /pgo_[\w-]+/.exec(stdout)![0];
  link = /https:\S+#link=\S+/.exec(stdout)![0];
  await shell(`export PIXGATE_OPERATOR_TOKEN=${token} DATABASE_URL='${url("pixgate_gateway", GATEWAY)}'`);
});

step("5 and 6: two processes of the API and a worker by systemd, nginx, and the console", async () => {
  const rehearsal = [
    "PIXGATE_INSTITUTION_ALLOW=127.0.0.0/8,::1/128",
    "PIXGATE_WEBHOOK_ALLOW=127.0.0.0/8,::1/128",
    `NODE_EXTRA_CA_CERTS=${CA}`,
  ];
  writeFileSync(
    "/opt/pixgate/pixgate.env",
    [
      ...[
        `DATABASE_URL=${url("pixgate_gateway", GATEWAY)}`,
        `PIXGATE_SECRET_KEY=${masterKey}`,
        "PIXGATE_PUBLIC_URL=https://pix.example.com",
      ],
      ...["PIXGATE_TRUSTED_PROXIES=127.0.0.1", `PIXGATE_PROXY_SECRET=${PROXY_SECRET}`, ...rehearsal, ""],
    ].join("\n"),
  );
  const [install, second] = blocksOf(section("### systemd")) as [string, string];
  // Skipped: npm ci, since there is no network here, and the packages are there.
  await shell(install.replace("npm ci && ", ""));
  await shell(second);
  await allReady();
  assert.deepEqual(systemd.units(), ["pixgate@api", "pixgate@api-b", "pixgate@worker"]);
  const uid = execFileSync("id", ["-u", "pixgate"]).toString().trim();
  for (const unit of systemd.units()) {
    assert.match(readFileSync(`/proc/${systemd.pid(unit)}/status`, "utf8"), new RegExp(`^Uid:\\t${uid}\\t`, "m"));
  }
  assert.equal(statSync("/etc/pixgate/pixgate.env").mode & 0o777, 0o600);
  nginx = await startNginx(PROXY_SECRET);
  const page = await fetch("https://pix.example.com/console");
  assert.equal(page.status, 200);
  assert.match(await page.text(), /<div id="root">|<script/);
  for (const inside of ["/metrics", "/readyz"])
    assert.equal((await fetch(`https://pix.example.com${inside}`)).status, 404);
  assert.equal((await fetch("https://pix.example.com/openapi.json")).status, 200);
});

step("the first operator opens the invitation, and is in once there is a password and an authenticator", async () => {
  maria = await new Browser("https://pix.example.com").use(link.split("#link=")[1]!);
  await enrol(maria, "um cavalo correto grampeia");
  assert.equal((await maria.send("GET", "/operator/v1/accounts")).status, 200);
});

step("7: the bank, by the rehearsal's simulator with mTLS, passes its test", async () => {
  const [simulator] = blocksOf(section("### A rehearsal"));
  bank = spawn("bash", ["-c", `cd /opt/pixgate && exec ${simulator}`], {
    stdio: "ignore",
    env: { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: CA },
  });
  const credentials = await eventually(
    "the simulator's credentials",
    () => JSON.parse(readFileSync("/opt/pixgate/rehearsal/credentials.json", "utf8")) as Record<string, string>,
  );
  const rehearsal = `notificationIps: ["127.0.0.1", "::1"], baseUrl: "https://localhost:8443/v2",
    tokenUrl: "https://localhost:8443/oauth/token", ca: fs.readFileSync("ca.pem", "utf8")`;
  const create = fill(bankFile, [
    ...([
      ['clientId: "…"', `clientId: "${credentials.clientId}"`],
      ['clientSecret: "…"', `clientSecret: "${credentials.clientSecret}"`],
    ] as const),
    ...([
      ['pixKey: "…"', `pixKey: "${credentials.pixKey}"`],
      ['notificationIps: ["…"]', rehearsal],
    ] as const),
    ...([["PIXGATE_OPERATOR_TOKEN=pgo_…", "PIXGATE_OPERATOR_TOKEN"]] as const),
  ]);
  const [made, tested] = create.split(/(?=npx pixgate institution test)/) as [string, string];
  await shell(made);
  institution = (await json<{ items: { id: string }[] }>("institution list")).items[0]!.id;
  const { output } = await shell(fill(tested, [["INSTITUTION", institution]]));
  assert.match(output, /ok|works/i);
});

step(
  "8 and 9: an account, a second human for its link, a credential, a webhook, and a charge that is paid",
  async () => {
    const [create, rest] = account.split(/(?=npx pixgate institution link)/) as [string, string];
    const [linked, credential] = rest.split(/(?=npx pixgate credential create)/) as [string, string];
    await shell(create);
    const accountId = (await json<{ items: { id: string }[] }>("account list")).items[0]!.id;
    const asked = await shell(
      fill(linked, [
        ["ACCOUNT", accountId],
        ["INSTITUTION", institution],
      ]),
      1,
    );
    assert.match(asked.output, /TWO_PERSONS_REQUIRED|another (person|operator)/);
    await approvesWaiting();
    const fees = fill(inline(section("## The first evening"), "npx pixgate account update"), [["ACCOUNT", accountId]]);
    assert.match((await shell(fees, 1)).output, /TWO_PERSONS_REQUIRED/);
    await approvesWaiting();
    await shell(fill(credential, [["ACCOUNT", accountId]]));

    const [endpoint, sale] = charge.split(/(?=npx pixgate charges create)/) as [string, string];
    const { output: secret } = await shell(endpoint);
    const paying = shell(sale);
    const pay = blocksOf(section("### A rehearsal"))[1]!;
    const txid = await eventually("the charge at the bank", async () => {
      const list = pay.replace(/-X POST (\S+)TXID\/pay/, "$1").replace(/-H 'content-type[\s\S]*/, "");
      const { stdout } = await shell(
        `cd /opt/pixgate\n${list.replace(/\\\n\s*$/, "").replace("/charges/ ", "/charges ")}`,
      );
      return (JSON.parse(stdout) as { items: { txid: string; amountCentavos: number }[] }).items.find(
        ({ amountCentavos }) => amountCentavos === 100,
      )?.txid;
    });
    await shell(fill(pay, [["TXID", txid]]));
    assert.match((await paying).output, /completed|paid/i);
    const hook = await eventually("the webhook", () =>
      shop.received.find(({ body }) => body.includes("transaction_completed") || body.includes("completed")),
    );
    new Webhook(/whsec_\S+/.exec(secret)![0].replace(/[",]+$/, "")).verify(hook.body, hook.headers);
    for (const line of blocksOf(section("## The first evening"))[6]!.trim().split("\n")) {
      assert.match((await shell(fill(line, [["ACCOUNT", accountId]]))).output, / 0\.50 |delivered/);
    }
  },
);

step("the tasks' brake stops and releases, as it is written", async () => {
  const line = section("## The tasks of a week")
    .split("\n")
    .find((row) => row.startsWith("| No money may leave"))!;
  const [on, off] = [...line.matchAll(/`(pixgate brake[^`]*)`/g)].map(([, code]) =>
    fill(code!, [["…", "a rehearsal"]]),
  );
  await shell(on!);
  type Brakes = { items: { scope: string }[] };
  assert.deepEqual(
    (await json<Brakes>("brake list")).items.map(({ scope }) => scope),
    ["all"],
  );
  assert.match((await shell(`${off} --yes`, 1)).output, /TWO_PERSONS_REQUIRED|another (person|operator|human)/);
  await approvesWaiting();
  assert.deepEqual((await json<Brakes>("brake list")).items, []);
});

step("the backup's line, whose file is nobody else's, and the restore's", async () => {
  const service = [
    "[pixgate]",
    "host=db.internal",
    "dbname=pixgate",
    "user=pixgate_gateway",
    `password=${GATEWAY}`,
    "sslmode=verify-full",
    `sslrootcert=${CA}`,
    "",
  ];
  writeFileSync(join(HOME, ".pg_service.conf"), service.join("\n"), { mode: 0o600 });
  const BACKUP = join(FOLDER, "backup");
  await shell(`export BACKUP=${BACKUP} PGSSLROOTCERT=${CA}\n${blocksOf(section("## Backup"))[0]}`);
  assert.equal(statSync(join(BACKUP, "pixgate.dump")).mode & 0o777, 0o600);
  psql(inline(section("### Restore"), "create database pixgate_restored"));
  const RESTORED_URL = url("pixgate", OWNER, "pixgate_restored");
  await shell(`export RESTORED_URL='${RESTORED_URL}'\n${blocksOf(section("### Restore"))[0]}`);
  const count = (database: string) =>
    psql(`\\c ${database}\nselect count(*), sum(balance) from ledger_accounts`).trim();
  assert.equal(count("pixgate_restored"), count("pixgate"));
  psql("drop database pixgate_restored");
});

step("the master key in five steps, with calls between them", async () => {
  const works = async () => {
    const { code } = await shell(
      "npx pixgate charges create --amount 1.00 --description 'another key' --credential shop.json",
      null,
    );
    assert.equal(code, 0);
    assert.equal((await maria.send("GET", "/operator/v1/accounts")).status, 200);
  };
  const steps = section("## Rotation").split("**The master key**")[1]!;
  const next = (await shell("openssl rand -base64 32")).stdout.trim();
  setting("PIXGATE_SECRET_KEY_OTHER", next);
  await restartAll();
  await works();
  setting("PIXGATE_SECRET_KEY", next);
  setting("PIXGATE_SECRET_KEY_OTHER", masterKey);
  await restartAll();
  await works();
  const owner = `'${url("pixgate", OWNER)}'`;
  await shell(
    fill(inline(steps, "DATABASE_URL=owner's"), [
      ["owner's", owner],
      ["=new", `=${next}`],
      ["=old", `=${masterKey}`],
    ]),
  );
  await works();
  await shell(fill(inline(steps, "npx pixgate institution test"), [["ID", institution]]));
  // Skipped: the 300 seconds. Each command signs in anew, and no token of the old key is left.
  setting("PIXGATE_SECRET_KEY_OTHER", null);
  await restartAll();
  await works();
  setting("PIXGATE_SECRET_KEY", masterKey);
  await shell("systemctl stop pixgate@api-b");
  await shell("systemctl start pixgate@api-b");
  await eventually("the old key to be refused", () => /another secret key|master key/.test(systemd.journal()));
  setting("PIXGATE_SECRET_KEY", next);
  await shell(`export PIXGATE_SECRET_KEY=${next}`);
});

step("the log's line shows warnings of the last hour", async () => {
  const line = blocksOf(section("## Health and logs")).find((block) => block.startsWith("journalctl"))!;
  const { stdout } = await shell(line);
  for (const shown of stdout.trim().split("\n").filter(Boolean))
    assert.match(shown, /^\d\d\/\d\d \d\d:\d\d:\d\d\t(40|50)\t/);
});

step("a new version, one process after the other", async () => {
  const lines = blocksOf(section("### systemd"))[2]!;
  // Skipped: git pull and npm ci, which need a network.
  const [install, ...restarts] = fill(lines.replace("git pull && npm ci && ", ""), [
    ["owner's", `'${url("pixgate", OWNER)}'`],
  ]).split(/\n(?=systemctl)/);
  await shell(install!);
  for (const line of restarts) {
    await shell(line);
    await allReady();
  }
  await shell(inline(section("## Upgrade"), "npx pixgate verify"));
});

step("away again: what is open is named, and nothing of it is left on the machine", async () => {
  const page = section("## Uninstalling");
  await shell(`${fill(inline(page, "pixgate brake set"), [["…", "we leave"]])}`);
  await shell(inline(page, "pixgate withdrawal list"));
  // --yes: no terminal, where the operator would answer y.
  const retire = await shell(`${fill(inline(page, "pixgate institution update"), [["ID", institution]])} --yes`, 1);
  assert.match(retire.output, /cannot be retired yet/);
  const [machine, database] = blocksOf(page) as [string, string];
  // The repository is mounted there, and a mount cannot be removed.
  await shell("cd / && umount --lazy /opt/pixgate");
  await shell(machine);
  assert.deepEqual(systemd.units(), []);
  for (const path of ["/etc/pixgate", "/opt/pixgate/gateway", "/var/lib/pixgate"])
    assert.equal(existsSync(path), false, path);
  psql(database);
  assert.equal(psql("select count(*) from pg_roles where rolname like 'pixgate%'").trim(), "0");
});
