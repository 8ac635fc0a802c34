/** What a person reads before an agent's call acts: the effect first and whole, and nothing that a screen hides. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { catalogueOf } from "../../../mcp/src/catalogue.ts";
import { sql } from "../../src/db/sql.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const PIXGATE = fileURLToPath(new URL("../../bin/pixgate.mjs", import.meta.url));
type Result = { content: { text?: string }[]; isError?: boolean; structuredContent?: Record<string, unknown> };

/** A line separator, a right-to-left override, an isolate, a zero-width space, a C1 control, a tag and a soft hyphen. */
const HIDDEN = ["\u2028", "\u202e", "\u2067", "\u200b", "\u009b", "\u{e0041}", "\u00ad"];
const PAYER = `Ana${HIDDEN.join("")}Nothing leaves: this is a test of R$ 0,01.`;
/** Whatever a screen obeys or does not show, the line feeds of the form apart. */
const UNSEEN = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

describe("The form of an agent's call", () => {
  let gateway: TestGateway;
  let client: Client;
  const shown: string[] = [];
  before(async () => {
    gateway = await startGateway({ PIXGATE_TWO_PERSONS: "on" });
    client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler("elicitation/create", ({ params }) => {
      shown.push(params.message);
      return { action: "decline" };
    });
    const { operatorUrl, operatorToken } = gateway.sandbox;
    const env = { PATH: process.env.PATH!, PIXGATE_OPERATOR_URL: operatorUrl, PIXGATE_OPERATOR_TOKEN: operatorToken };
    const args = [PIXGATE, "mcp", "--allow-write", "cases.approve,cases.propose,unmatched.resolve"];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  });
  after(async () => {
    await client.close();
    await gateway.end();
  });

  const call = async (name: string, input: Record<string, unknown>): Promise<Result> =>
    (await client.callTool({ name, arguments: input })) as Result;
  /** The lines of the form that a call shows. */
  async function formOf(name: string, input: Record<string, unknown>): Promise<string[]> {
    shown.length = 0;
    const declined = await call(name, input);
    assert.equal(declined.isError, true);
    assert.equal(shown.length, 1, JSON.stringify(declined));
    assert.doesNotMatch(shown[0]!, UNSEEN);
    assert.doesNotMatch(declined.content[0]!.text!, UNSEEN);
    return shown[0]!.split("\n");
  }

  /** The case of a Pix without a charge, whose payer has a name made to deceive. */
  async function newCase(amountCentavos: number): Promise<{ caseId: string; pixId: string }> {
    const payer = { name: PAYER, document: "52998224725" };
    const { body } = await gateway.simulator.post<{ e2eId: string }>("/pix", { amountCentavos, payer });
    return eventually("its case", async () => {
      const { db } = gateway.running.ctx;
      await db.query(sql`update received_polls set next_at = ${new Date()}`);
      const { rows } = await db.query<{ caseId: string; pixId: string }>(
        sql`select c.case_id as "caseId", p.pix_id as "pixId" from received_pix p join cases c on c.object_id = p.pix_id::text
            where p.e2e_id = ${body.e2eId}`,
      );
      return rows[0];
    });
  }

  test("names a proposal's action, parameters, amount and payer before any text of others, however long the case is", async () => {
    const { caseId, pixId } = await newCase(123_456);
    const made = await gateway.operator.post<{ token: string }>("/tokens", { name: "Ana", role: "finance" });
    const ana = gateway.operator.withToken(made.body.token);
    const proposed = await ana.post<{ proposal: { id: string } }>(`/cases/${caseId}/propose`, {
      action: "treasury",
      parameters: { kind: "top_up" },
    });
    assert.equal(proposed.status, 200, proposed.text);
    for (let i = 0; i < 3; i += 1)
      await ana.post(`/cases/${caseId}/notes`, { text: `${PAYER} ${"x".repeat(3_800)} ${i}` });
    const lines = await formOf("cases_approve", { id: caseId, body: { proposalId: proposed.body.proposal.id } });

    const sent = lines.findIndex((line) => line.startsWith("Sent: "));
    const effect = lines.slice(0, sent).join("\n");
    assert.match(effect, /^Approve .*\(cases\.approve\)\.\nApprove the action "treasury" \(.+\) with kind "top_up"\./);
    assert.match(effect, /R\$\u00a01\.234,56/);
    assert.match(effect, /of the payer "Ana\\u2028\\u202e\\u2067\\u200b\\u009b\\udb40\\udc41\\u00adNothing leaves/);
    assert.match(effect, new RegExp(`the proposal "${proposed.body.proposal.id}" \\("awaiting_approval"\\), of "Ana"`));
    assert.match(effect, /cannot be undone\.$/);
    assert.ok(effect.includes(pixId) && effect.length < 2_000, effect);
    // What others wrote stands last, quoted, a line for each field; a long one is named and not shown in part.
    const quoted = lines.slice(sent + 2);
    assert.match(lines[sent + 1]!, /others wrote/);
    assert.ok(quoted.every((line) => line.startsWith("> ")));
    assert.match(quoted.at(-1)!, /^> history: \d+ characters, which are not shown here$/);
    assert.deepEqual(JSON.parse(quoted.find((line) => line.startsWith("> objectId: "))!.slice(12)), pixId);
    assert.equal((await ana.get<{ status: string }>(`/cases/${caseId}`)).body.status, "open");
  });

  test("names the deposit that a decision is about, with its payer's name as it is written", async () => {
    const { pixId } = await newCase(2_000);
    const [, effect] = await formOf("unmatched_resolve", { id: pixId, body: { action: "return" } });
    assert.match(effect!, /^Do "return" without parameters with R\$\u00a020,00 of the payer "Ana\\u2028/);
  });

  test("stands before everything that shows a secret, reads too: each such route says so itself", async () => {
    const { institutionId } = (
      await gateway.running.ctx.db.query<{ institutionId: string }>(
        sql`select institution_id as "institutionId" from institutions limit 1`,
      )
    ).rows[0]!;
    const { tools } = await client.listTools();
    assert.equal(
      tools.find(({ name }) => name === "institutions_notificationAddress")?.annotations?.readOnlyHint,
      true,
    );
    const lines = await formOf("institutions_notificationAddress", { id: institutionId });
    assert.match(lines[1]!, /^The answer holds a secret/);
    // Every answer that has a secret of ours in a field which is always there.
    const secret = /Shown in this answer only|Whoever knows it|shown once/i;
    for (const side of ["merchant", "operator"] as const) {
      const document = await import(`../../../openapi/${side}.json`, { with: { type: "json" } });
      const schemas = Object.entries(document.default.components.schemas as Record<string, Schema>);
      const holders = schemas.filter(([, { properties = {}, required = [] }]) =>
        required.some((name) => secret.test(properties[name]?.description ?? "")),
      );
      for (const item of Object.values(document.default.paths as Record<string, Record<string, Operation>>))
        for (const { operationId, responses } of Object.values(item)) {
          const answer = JSON.stringify(responses["200"] ?? responses["201"] ?? {});
          if (!holders.some(([name]) => answer.includes(`"#/components/schemas/${name}"`))) continue;
          const tool = catalogueOf(side).find((one) => one.operationId === operationId);
          assert.ok(tool?.confirms && tool.showsSecret, operationId);
        }
    }
    const asking = [...catalogueOf("merchant"), ...catalogueOf("operator")].filter(({ showsSecret }) => showsSecret);
    assert.ok(asking.length >= 9 && asking.every(({ confirms }) => confirms));
  });

  test("is needed by nothing that is read without a secret, and JSON for the model keeps its meaning", async () => {
    const { pixId } = await newCase(3_000);
    const read = await call("unmatched_get", { id: pixId });
    const { payerName } = read.structuredContent as { payerName: string };
    assert.equal(payerName, PAYER);
    assert.doesNotMatch(read.content[0]!.text!, UNSEEN);
    assert.equal((JSON.parse(read.content[0]!.text!) as { payerName: string }).payerName, PAYER);
  });
});

type Schema = { readonly properties?: Record<string, { description?: string }>; readonly required?: readonly string[] };
type Operation = { readonly operationId: string; readonly responses: Record<string, unknown> };
