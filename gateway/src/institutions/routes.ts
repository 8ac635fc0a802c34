import { Type } from "typebox";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { AnswerObject, ref } from "../http/contract.ts";
import { PageQuery, pageOf, readPage } from "../http/pages.ts";
import type { MerchantRoutes } from "../http/scopes/merchant.ts";
import { type InstitutionRow, institutions } from "./registry.ts";

const Institution = AnswerObject("Institution", "A bank or PSP that may issue the account's charges.", {
  id: Type.String({ format: "uuid", description: "What `pspCredentialId` of a charge names." }),
  name: Type.String({ description: "Display name." }),
  status: Type.Enum(["active", "down"], {
    description: "`down`: it does not answer at the moment, and a charge pinned to it fails.",
  }),
});
const InstitutionPage = pageOf(Institution, "A page of the institutions that a charge may be pinned to.");

const LIST = "institutions";

export function institutionRoutes(route: MerchantRoutes, ctx: Context): void {
  route({
    method: "GET",
    path: "/institutions",
    operationId: "institutions.list",
    summary: "List the institutions that a charge may name",
    description:
      "Those that `pspCredentialId` of `POST /v2/pix` takes: enabled for the account and active. Empty for an account that may not choose. Without a choice Pixgate chooses by priority, health and capacity.",
    tag: "Institutions",
    extension: true,
    permission: "PIX:WRITE",
    query: Type.Object(PageQuery),
    answer: ref(InstitutionPage),
    errors: [],
    async handle({ caller, query }) {
      return readPage(LIST, query, {
        read: (after, count) =>
          ctx.db.query<Pick<InstitutionRow, "institutionId" | "name">>(sql`
        select ${institutions.select("i", ["institutionId", "name"])} from accounts a
        join account_institutions l on l.account_id = a.account_id and l.enabled
        join institutions i on i.institution_id = l.institution_id and i.status = 'active'
        where a.account_id = ${caller.accountId} and a.institution_choice
          and (${after}::uuid is null or i.institution_id < ${after})
        order by i.institution_id desc limit ${count}`),
        async show({ institutionId: id, name }) {
          const institution = await ctx.psps.find(id);
          return { id, name, status: institution?.health.state === "down" ? ("down" as const) : ("active" as const) };
        },
        key: (row) => row.institutionId,
      });
    },
  });
}
