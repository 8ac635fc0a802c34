import { type Static, Type } from "typebox";
import { instant, nullable, type RowOf, table, text, uuid } from "../../db/columns.ts";
import type { Queries } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { AnswerObject, RequestObject, ref, Words } from "../../http/contract.ts";
import { notFound } from "../../http/errors.ts";
import { present } from "../../lib/present.ts";
import { Figures } from "../../transactions/figures.ts";

export const ProjectRequest = RequestObject("ProjectRequest", "A project to create.", {
  name: Words({ maxLength: 255, description: "Unique in the wallet." }),
  color: Type.String({ pattern: "^#[0-9A-Fa-f]{6}$", description: "Hexadecimal, such as `#1E90FF`." }),
  description: Type.Optional(Words({ maxLength: 2000, description: "For your own use." })),
  logoUrl: Type.Optional(
    Type.String({
      maxLength: 2048,
      format: "uri",
      // Other schemes (javascript:, data:) must not be used where the logo is shown.
      pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]",
      description: "Address of the logo, http or https.",
    }),
  ),
});

export const Project = AnswerObject("Project", "A name that tags the transactions of a wallet.", {
  id: Type.String({ format: "uuid", description: "Id of the project." }),
  name: Type.String({ description: "As in the request." }),
  color: Type.String({ description: "As in the request." }),
  description: Type.Optional(Type.String({ description: "As in the request." })),
  logoUrl: Type.Optional(Type.String({ description: "As in the request." })),
  createdAt: Type.String({ format: "date-time", description: "When it was created." }),
  ...Figures,
});
export type Project = Static<typeof Project>;

export const ProjectPage = AnswerObject("ProjectPage", "A page of projects.", {
  items: Type.Array(ref(Project), { description: "The projects of this page." }),
  total: Type.Integer({ description: "Projects of the wallet." }),
  page: Type.Integer({ description: "Number of this page, from 1." }),
  limit: Type.Integer({ description: "Projects on a page." }),
  totalPages: Type.Integer({ description: "Pages there are; 0 without projects." }),
});
export type ProjectPage = Static<typeof ProjectPage>;

export const projects = table({
  name: "projects",
  key: ["accountId", "projectId"],
  columns: {
    accountId: uuid,
    projectId: uuid,
    walletId: uuid,
    name: text,
    color: text,
    description: nullable(text),
    logoUrl: nullable(text),
    createdAt: instant,
    updatedAt: instant,
  },
});
export type ProjectRow = RowOf<typeof projects.columns>;

export const toProject = (row: ProjectRow): Project =>
  present({
    id: row.projectId,
    name: row.name,
    color: row.color,
    description: row.description,
    logoUrl: row.logoUrl,
    createdAt: row.createdAt.toISOString(),
  });

/** 404 unless the project is the wallet's (contract, section 3, unknown `projectId`). */
export async function requireProject(
  queries: Queries,
  wallet: { readonly accountId: string; readonly walletId: string },
  projectId: string,
): Promise<void> {
  const { rowCount } = await queries.query(sql`
    select from projects
    where account_id = ${wallet.accountId} and project_id = ${projectId} and wallet_id = ${wallet.walletId}`);
  if (rowCount === 0) throw notFound("project", projectId);
}
