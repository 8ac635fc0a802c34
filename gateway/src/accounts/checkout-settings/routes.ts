import { Type } from "typebox";
import type { Context } from "../../context.ts";
import { PathId, ref } from "../../http/contract.ts";
import type { MerchantRoutes } from "../../http/scopes/merchant.ts";
import { requireProject } from "../projects/project.ts";
import { finishRotation, readLook, replaceProjectSettings, replaceSettings, rotateSecret } from "./change.ts";
import {
  CheckoutSettings,
  CheckoutSettingsRequest,
  findProjectSettings,
  findSettings,
  ProjectCheckoutSettings,
  ProjectCheckoutSettingsRequest,
  toProjectSettings,
  toSettings,
} from "./settings.ts";

/** A secret is shown once: a repeated answer omits it. */
const withoutSecret = ({ secret: _shownOnce, ...kept }: CheckoutSettings): CheckoutSettings => kept;

/** `/checkout/settings`: how payers' pages look, and where payers may go back to. They are the account's, of all its wallets. */
export function checkoutSettingsRoutes(route: MerchantRoutes, ctx: Context): void {
  const common = { tag: "Charges", extension: true, mainAccountOnly: true } as const;

  route({
    ...common,
    method: "GET",
    path: "/checkout/settings",
    operationId: "checkoutSettings.get",
    summary: "Read the look of payers' pages",
    permission: "PROJECT:READ",
    work: "row",
    answer: ref(CheckoutSettings),
    handle: async ({ caller: { accountId } }) => toSettings(await findSettings(ctx.db, accountId), ctx.clock.now()),
  });

  route({
    ...common,
    method: "PUT",
    path: "/checkout/settings",
    operationId: "checkoutSettings.replace",
    summary: "Replace the look of payers' pages",
    description:
      "What is left out gets its default. The first call makes the secret with which `returnUrl` of a charge is signed, and shows it this once.",
    permission: "PROJECT:WRITE",
    fresh: true,
    showsSecret: true,
    body: ref(CheckoutSettingsRequest),
    example: {
      displayName: "Empório Girassol",
      color: "#0B7A6F",
      supportContact: "ajuda@example.com",
      returnHosts: ["shop.example.com"],
    },
    answer: ref(CheckoutSettings),
    async handle({ caller: { accountId }, body }) {
      const look = await readLook(ctx, accountId, body);
      return ctx.db.transaction((tx) => replaceSettings(ctx, tx, accountId, look));
    },
  });

  route({
    ...common,
    method: "POST",
    path: "/checkout/settings/rotate-secret",
    operationId: "checkoutSettings.rotateSecret",
    final: "Payers' ways back get a new secret; the old one signs for 24 hours more.",
    summary: "Replace the secret with which payers come back",
    description:
      "The answer holds the new secret, only this once. For 24 hours, or until the rotation is finished, `signature` holds the signatures of both, joined by a comma. Another rotation in that time replaces the new secret.",
    permission: "PROJECT:WRITE",
    fresh: true,
    showsSecret: true,
    answer: ref(CheckoutSettings),
    errors: ["RESOURCE_NOT_FOUND"],
    handle: ({ caller: { accountId }, transact }) => transact((tx) => rotateSecret(ctx, tx, accountId), withoutSecret),
  });

  route({
    ...common,
    method: "POST",
    path: "/checkout/settings/finish-rotation",
    operationId: "checkoutSettings.finishRotation",
    final: "The old secret signs no more.",
    summary: "Finish a rotation of the checkout secret at once",
    description: "From now on only the new secret signs. Without a rotation nothing changes.",
    permission: "PROJECT:WRITE",
    fresh: { not: "it ends a secret and shows none" },
    answer: ref(CheckoutSettings),
    errors: ["RESOURCE_NOT_FOUND"],
    handle: ({ caller: { accountId }, transact }) => transact((tx) => finishRotation(ctx, tx, accountId)),
  });
  projectRoutes(route, ctx);
}

/** `/projects/{id}/checkout-settings`: what the pages of one project have of their own. */
function projectRoutes(route: MerchantRoutes, ctx: Context): void {
  const common = { tag: "Projects", extension: true } as const;
  const params = Type.Object({ id: PathId("project", "Id of the project.") });

  route({
    ...common,
    method: "GET",
    path: "/projects/:id/checkout-settings",
    operationId: "projectCheckoutSettings.get",
    summary: "Read what the payers' pages of a project have of their own",
    permission: "PROJECT:READ",
    work: "row",
    params,
    answer: ref(ProjectCheckoutSettings),
    errors: ["RESOURCE_NOT_FOUND"],
    async handle({ caller: { accountId }, wallet: { walletId }, params: { id } }) {
      await requireProject(ctx.db, { accountId, walletId }, id);
      return toProjectSettings(await findProjectSettings(ctx.db, accountId, id));
    },
  });

  route({
    ...common,
    method: "PUT",
    path: "/projects/:id/checkout-settings",
    operationId: "projectCheckoutSettings.replace",
    summary: "Replace what the payers' pages of a project have of their own",
    description:
      "What is left out is as the account has it (`PUT /checkout/settings`), whose secret also signs the project's ways back. It counts for the charges and payment links of the project, those that there are already too. `returnHosts` replaces the account's list; an empty one allows none.",
    permission: "PROJECT:WRITE",
    fresh: true,
    params,
    body: ref(ProjectCheckoutSettingsRequest),
    example: { displayName: "Girassol Atacado", color: "#7A3E0B" },
    answer: ref(ProjectCheckoutSettings),
    errors: ["RESOURCE_NOT_FOUND"],
    async handle({ caller: { accountId }, wallet: { walletId }, params: { id }, body }) {
      const look = await readLook(ctx, accountId, body);
      return ctx.db.transaction((tx) => replaceProjectSettings(ctx, tx, { accountId, walletId }, id, look));
    },
  });
}
