import { Type } from "typebox";
import type { Context } from "../../context.ts";
import { requirePermission } from "../../http/auth.ts";
import { ref } from "../../http/contract.ts";
import type { MerchantRoutes } from "../../http/scopes/merchant.ts";
import { asksFigures, FiguresQuery, withFigures } from "../../transactions/figures.ts";
import { createProject } from "./create.ts";
import { listProjects, SORT_FIELDS, SORT_ORDERS } from "./list.ts";
import { Project, ProjectPage, ProjectRequest } from "./project.ts";

const Query = Type.Object({
  // Without a maximum, `Infinity` would count as an integer.
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2_147_483_647, default: 1, description: "Number of the page." }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: "Projects on a page." })),
  sortBy: Type.Optional(Type.Enum([...SORT_FIELDS], { default: "createdAt", description: "What to sort by." })),
  sortOrder: Type.Optional(Type.Enum([...SORT_ORDERS], { default: "desc", description: "Which way to sort." })),
  ...FiguresQuery,
});

export function projectRoutes(route: MerchantRoutes, ctx: Context): void {
  route({
    method: "POST",
    path: "/projects",
    operationId: "projects.create",
    summary: "Create a project",
    description: "A charge that names no project gets the wallet's only one.",
    tag: "Projects",
    permission: "PROJECT:WRITE",
    fresh: { not: "a label moves nothing" },
    body: ref(ProjectRequest),
    status: 201,
    answer: ref(Project),
    errors: ["PROJECT_NAME_TAKEN"],
    example: { name: "Loja online", color: "#1E90FF", description: "Vendas do site" },
    handle: ({ caller, wallet, body, transact }) =>
      transact((tx) => createProject(ctx, tx, { accountId: caller.accountId, walletId: wallet.walletId }, body)),
  });

  route({
    method: "GET",
    path: "/projects",
    operationId: "projects.list",
    summary: "List the projects",
    tag: "Projects",
    permission: "PROJECT:READ",
    readsHistory: asksFigures,
    query: Query,
    answer: ref(ProjectPage),
    errors: ["VALIDATION_ERROR"],
    async handle({ caller, wallet, query }) {
      if (query.figures) requirePermission(caller, "TRANSACTION:READ");
      const owner = { accountId: caller.accountId, walletId: wallet.walletId };
      const listed = await listProjects(ctx.db, owner, {
        page: query.page ?? 1,
        limit: query.limit ?? 20,
        sortBy: query.sortBy ?? "createdAt",
        sortOrder: query.sortOrder ?? "desc",
      });
      if (!query.figures) return listed;
      return { ...listed, items: await withFigures(ctx.history, owner, "project", listed.items, ctx.clock.now()) };
    },
  });
}
