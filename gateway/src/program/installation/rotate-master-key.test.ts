import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { freshDatabase } from "../../../test/harness/database.ts";
import { findSettings } from "../../accounts/checkout-settings/settings.ts";
import { secretAad as checkoutAad } from "../../accounts/checkout-settings/sign.ts";
import { blockFiles } from "../../claims/blocks/files/row.ts";
import { openFile, sealFile } from "../../claims/blocks/files/seal.ts";
import type { RowOf } from "../../db/columns.ts";
import { type Db, openDb } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { createKept, keepFiles } from "../../http/console/kept-files.ts";
import { sealConfig } from "../../institutions/registry.ts";
import { createIds } from "../../lib/ids.ts";
import { seal, sha256, open as unseal } from "../../lib/secrets.ts";
import { authenticatorAad } from "../../lib/totp.ts";
import { readConfig } from "../../settings/config.ts";
import { createUnseal, secretAad, signingSecrets } from "../../webhooks/endpoints/rotate.ts";
import { endpoints as endpointTable } from "../../webhooks/endpoints/row.ts";
import { deriveKeys } from "./master-key.ts";
import { prepareInstallation } from "./prepare.ts";
import { rotateMasterKey } from "./rotate-master-key.ts";

const ids = createIds({ now: Date.now, random: (n) => randomBytes(n) });
const config = readConfig({});
const clock = { now: Date.now, date: () => new Date() };
const [old, fresh, stranger] = [randomBytes(32), randomBytes(32), randomBytes(32)];
/** Two pages and a bit. */
const ENDPOINTS = 450;
/** Files of a version of the console. Two pages and a bit. */
const CONSOLE = {
  files: new Set(Array.from({ length: 45 }, (_, i) => `assets/${i}.js`)),
  read: async (name: string) => Buffer.from(name),
};

let database: Awaited<ReturnType<typeof freshDatabase>>;
let db: Db;
let accountId: string;
before(async () => {
  database = await freshDatabase();
  db = openDb({ url: database.url, max: 2, onError: () => {} });
  accountId = await prepareInstallation({ config, db, ids, clock }, old, null);
  const keys = deriveKeys(old, null);
  const now = new Date();
  for (let i = 0; i < ENDPOINTS; i += 1) {
    const id = ids.uuid();
    const secret = seal(keys.sealing, `whsec_${i}`, secretAad(accountId, id));
    const next = i % 3 === 0 ? seal(keys.sealing, `whsec_next_${i}`, secretAad(accountId, id)) : null;
    await db.query(sql`
      insert into webhook_endpoints (account_id, endpoint_id, wallet_id, url, sealed_secret, next_sealed_secret,
        rotation_ends_at, deleted_at, created_at, updated_at)
      values (${accountId}, ${id}, ${accountId}, 'https://a.test', ${secret}, ${next}, ${next && new Date("2999-01-01")},
        ${i % 5 === 0 ? now : null}, ${now}, ${now})`);
  }
  const person = ids.uuid();
  const ofApp = (text: string) => seal(keys.sealing, text, authenticatorAad(person));
  await db.query(sql`
    insert into authenticators (person_id, sealed_secret, sealed_pending, last_step, created_at)
    values (${person}, ${ofApp("of the app")}, ${ofApp("of the next app")}, 0, ${now})`);
  const checkout = (text: string) => seal(keys.sealing, text, checkoutAad(accountId));
  await db.query(sql`
    insert into checkout_settings (account_id, return_hosts, sealed_secret, next_sealed_secret, rotation_ends_at, created_at,
      updated_at)
    values (${accountId}, '[]', ${checkout("way back")}, ${checkout("next way back")}, ${new Date("2999-01-01")}, ${now}, ${now})`);
  const [block, file] = [ids.uuid(), ids.uuid()];
  await db.query(sql`
    insert into balance_blocks (account_id, block_id, wallet_id, block_type, status, amount, held_amount, taken_amount,
      adopted_amount, institution_id, environment, created_at, updated_at)
    values (${accountId}, ${block}, ${accountId}, 'med', 'awaiting_response', 1, 1, 0, 0, ${block}, 'sandbox', ${now}, ${now})`);
  const { sealedKey, sealedContent } = sealFile(keys, { accountId, fileId: file }, Buffer.from("a receipt"));
  await db.query(sql`
    insert into balance_block_files (account_id, block_id, file_id, name, media_type, size, digest, sealed_key, sealed_content,
      created_at)
    values (${accountId}, ${block}, ${file}, 'a.pdf', 'application/pdf', 9, ${sha256("a receipt")}, ${sealedKey},
      ${sealedContent}, ${now})`);
  await keepFiles({ db, clock, keys }, CONSOLE);
  await db.query(sql`insert into console_files values ('assets/of-nobody.js', 'alert(1)'::bytea, ${now})`);
  const id = ids.uuid();
  await db.query(sql`
    insert into institutions (institution_id, name, provider, environment, status, sealed_config, created_at, updated_at)
    values (${id}, 'Bank', 'api-pix', 'sandbox', 'active', ${sealConfig(keys, id, { clientSecret: "s" })}, ${now}, ${now})`);
});
after(async () => {
  await db.end();
  await database.drop();
});

type Row = Parameters<typeof signingSecrets>[1];
const rows = async () =>
  (await db.query<Row>(sql`select ${endpointTable.select()} from webhook_endpoints order by endpoint_id`)).rows;
const EVIDENCE = ["accountId", "fileId", "sealedKey", "sealedContent"] as const;
const evidence = async () =>
  (
    await db.query<Pick<RowOf<typeof blockFiles.columns>, (typeof EVIDENCE)[number]>>(
      sql`select ${blockFiles.select("", EVIDENCE)} from balance_block_files`,
    )
  ).rows[0]!;
const secretsWith = async (master: Buffer, other: Buffer | null) =>
  (await rows()).map((row) => signingSecrets(createUnseal({ keys: deriveKeys(master, other) }), row, Date.now()));

test("keys that are not the database's are refused, and nothing moves", async () => {
  const before = await rows();
  await assert.rejects(rotateMasterKey(db, fresh, stranger), /neither/);
  await assert.rejects(prepareInstallation({ config, db, ids, clock }, fresh, null), /another secret key/);
  await assert.rejects(prepareInstallation({ config, db, ids, clock }, fresh, stranger), /another secret key/);
  assert.deepEqual(await rows(), before);
});

test("a run that dies on its way is made whole by another one, and meanwhile both keys open everything", async () => {
  const expected = await secretsWith(old, null);
  let transactions = 0;
  const dying: Db = {
    ...db,
    transaction: (work) => {
      transactions += 1;
      // The read of the fingerprint, the institutions, and a page of endpoints; the next page is killed before its commit.
      return db.transaction(async (tx) => {
        const result = await work(tx);
        if (transactions > 5) throw new Error("killed");
        return result;
      });
    },
  };
  await assert.rejects(rotateMasterKey(dying, fresh, old), /killed/);
  await assert.rejects(secretsWith(fresh, null), /does not open/);
  await assert.rejects(secretsWith(old, null), /does not open/);
  assert.deepEqual(await secretsWith(old, fresh), expected);
  assert.deepEqual(await secretsWith(fresh, old), expected);
  // A gateway may start with either first, as long as it knows both.
  await prepareInstallation({ config, db, ids, clock }, old, fresh);
  await prepareInstallation({ config, db, ids, clock }, fresh, old);

  const contentBefore = await evidence();
  assert.equal(openFile(deriveKeys(old, null), contentBefore, contentBefore).toString(), "a receipt");
  const { endpoints, checkouts, authenticators, evidence: files, consoleFiles } = await rotateMasterKey(db, fresh, old);
  // A process of that version starts again with the new key alone: its pages and those of others find every file.
  const { read } = createKept({ db, clock, keys: deriveKeys(fresh, null) });
  for (const name of CONSOLE.files) assert.equal(String(await read(name)), name);
  // What nobody had sealed is gone, so that whoever has such a file keeps it again.
  assert.equal(consoleFiles, CONSOLE.files.size + 1);
  assert.equal((await db.query(sql`select name from console_files`)).rows.length, CONSOLE.files.size);
  assert.equal(authenticators, 1);
  const content = await evidence();
  assert.deepEqual([files, content.sealedContent.equals(contentBefore.sealedContent)], [1, true]);
  assert.equal(openFile(deriveKeys(fresh, null), content, content).toString(), "a receipt");
  assert.throws(() => openFile(deriveKeys(old, null), content, content), /does not open/);
  const { rows: sealed } = await db.query<{ person: string; secret: string; pending: string }>(
    sql`select person_id as person, sealed_secret as secret, sealed_pending as pending from authenticators`,
  );
  const open = (text: string) => unseal(deriveKeys(fresh, null).sealing, text, authenticatorAad(sealed[0]!.person));
  assert.deepEqual([open(sealed[0]!.secret), open(sealed[0]!.pending)], ["of the app", "of the next app"]);
  const returns = await findSettings(db, accountId);
  const openReturn = (text: string) => unseal(deriveKeys(fresh, null).sealing, text, checkoutAad(accountId));
  assert.equal(checkouts, 1);
  assert.deepEqual([returns!.sealedSecret, returns!.nextSealedSecret!].map(openReturn), ["way back", "next way back"]);
  assert.ok(endpoints > 0 && endpoints < ENDPOINTS, `${endpoints} were left`);
  assert.deepEqual(await secretsWith(fresh, null), expected);
  await prepareInstallation({ config, db, ids, clock }, fresh, null);
  await assert.rejects(prepareInstallation({ config, db, ids, clock }, old, null), /another secret key/);
});

test("once more changes nothing", async () => {
  const before = await rows();
  assert.deepEqual(await rotateMasterKey(db, fresh, old), {
    institutions: 0,
    endpoints: 0,
    checkouts: 0,
    authenticators: 0,
    evidence: 0,
    consoleFiles: 0,
  });
  assert.deepEqual(await rows(), before);
});
