import { type Static, Type } from "typebox";
import { instant, json, nullable, oneOf, type RowOf, table, text, uuid } from "../../db/columns.ts";
import type { Queries } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { AnswerObject, RequestObject, ShownOnce, Words } from "../../http/contract.ts";
import { Rotation, showRotation } from "../../http/rotation.ts";
import { present } from "../../lib/present.ts";

/** Languages of payers' pages. */
const PAGE_LANGUAGES = ["pt-BR", "en", "es"] as const;
/** Hosts of an account that its payers may be sent back to. */
const MAX_HOSTS = 20;
/** Characters of a logo as a data URI: 64 KiB in base64. */
const MAX_LOGO = 90_000;

const displayName = (leftOut: string) =>
  Type.Optional(Words({ maxLength: 60, description: `Name at the head of the page. ${leftOut}` }));
const locale = (leftOut: string) =>
  Type.Optional(
    Type.Enum([...PAGE_LANGUAGES], {
      type: "string",
      description: `Language of pages for visitors whose browser asks for none of the three. ${leftOut}`,
    }),
  );

const fields = {
  displayName: displayName("Left out: the account's name."),
  color: Type.Optional(
    Type.String({
      pattern: "^#[0-9A-Fa-f]{6}$",
      description:
        "Colour of buttons, hexadecimal. It must stand out from white by 3:1 (WCAG 2.2, 1.4.11); on a dark page a lighter shade of it is used.",
    }),
  ),
  logo: Type.Optional(
    Type.String({
      maxLength: MAX_LOGO,
      pattern: "^data:image/(png|svg\\+xml);base64,[A-Za-z0-9+/]+={0,2}$",
      description:
        "A PNG of at most 64 KiB and 512 pixels a side, or an SVG of simple shapes of at most 64 KiB, as a data URI. A PNG is decoded, made small (96 pixels a side at most) and written anew: nothing but its pixels is kept. An SVG is read by a list of what it may have, and written anew: anything else is refused by name.",
    }),
  ),
  supportContact: Type.Optional(
    Words({
      maxLength: 120,
      description: "Where payers find help: an e-mail address, a phone number or an https address.",
    }),
  ),
  returnHosts: Type.Optional(
    Type.Array(
      Type.String({
        maxLength: 253,
        pattern: "^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+(:[0-9]{1,5})?$",
        description: "A host in lower case, with its port where that is not 443.",
      }),
      {
        maxItems: MAX_HOSTS,
        description: "Hosts that `returnUrl` of a charge may have; each subdomain counts by itself.",
      },
    ),
  ),
  locale: locale("Left out: `pt-BR`."),
};

export const CheckoutSettingsRequest = RequestObject(
  "CheckoutSettingsRequest",
  "The look of payers' pages. What is left out has its default.",
  fields,
);
export type CheckoutSettingsRequest = Static<typeof CheckoutSettingsRequest>;

export const ProjectCheckoutSettingsRequest = RequestObject(
  "ProjectCheckoutSettingsRequest",
  "What the pages of a project have of their own. What is left out is as the account has it.",
  {
    ...fields,
    displayName: displayName("Left out: as the account's."),
    locale: locale("Left out: as the account's."),
  },
);
export type ProjectCheckoutSettingsRequest = Static<typeof ProjectCheckoutSettingsRequest>;

const shownHosts = Type.Array(Type.String({ description: "A host." }), {
  description: "Hosts that `returnUrl` of a charge may have.",
});
const shown = {
  displayName: Type.Optional(Type.String({ description: "Name at the head of the page." })),
  color: Type.Optional(Type.String({ description: "Colour of buttons." })),
  logo: Type.Optional(Type.String({ description: "The logo as the page shows it, a PNG or SVG as a data URI." })),
  supportContact: Type.Optional(Type.String({ description: "Where payers find help." })),
  locale: Type.Optional(
    Type.Enum([...PAGE_LANGUAGES], { type: "string", description: "Language of pages where the visitor names none." }),
  ),
  updatedAt: Type.Optional(
    Type.String({ format: "date-time", description: "When they last changed; left out where they never did." }),
  ),
};

export const ProjectCheckoutSettings = AnswerObject(
  "ProjectCheckoutSettings",
  "What the pages of a project have of their own. What is left out is as the account has it.",
  { ...shown, returnHosts: Type.Optional(shownHosts) },
);
export type ProjectCheckoutSettings = Static<typeof ProjectCheckoutSettings>;

export const CheckoutSettings = AnswerObject(
  "CheckoutSettings",
  "The look of an account's payers' pages, and where payers may go back to.",
  {
    ...shown,
    returnHosts: shownHosts,
    secret: ShownOnce({
      description:
        "Key of the signatures with which payers come back. Shown once, when the settings are first stored and when the secret is rotated.",
    }),
    rotation: Rotation,
  },
);
export type CheckoutSettings = Static<typeof CheckoutSettings>;

/** A row of each account that has ever stored settings. */
export const checkoutSettings = table({
  name: "checkout_settings",
  key: ["accountId"],
  columns: {
    accountId: uuid,
    displayName: nullable(text),
    color: nullable(text),
    /** A picture that was understood and written anew (logo.ts), as a data URI. */
    logo: nullable(text),
    supportContact: nullable(text),
    returnHosts: json<readonly string[]>(),
    locale: nullable(oneOf(PAGE_LANGUAGES)),
    sealedSecret: text,
    /** From the rotation on it signs too; after `rotationEndsAt` it signs alone. */
    nextSealedSecret: nullable(text),
    rotationEndsAt: nullable(instant),
    createdAt: instant,
    updatedAt: instant,
  },
});
export type SettingsRow = RowOf<typeof checkoutSettings.columns>;

/** The settings that a page shows, and the hosts to which it may lead back. */
export const LOOK = ["displayName", "color", "logo", "supportContact", "locale", "returnHosts"] as const;
type LookField = (typeof LOOK)[number];
/** What an account or a project has chosen; a field is left out where it has chosen none. */
export type OwnLook = { readonly [F in LookField]?: NonNullable<SettingsRow[F]> };

/** A row of each project that has ever stored settings of its own. */
const projectCheckoutSettings = table({
  name: "project_checkout_settings",
  key: ["accountId", "projectId"],
  columns: { accountId: uuid, projectId: uuid, look: json<OwnLook>(), createdAt: instant, updatedAt: instant },
});

/** The settings of an account; null where none were ever stored. */
export async function findSettings(queries: Queries, accountId: string): Promise<SettingsRow | null> {
  const { rows } = await queries.query<SettingsRow>(sql`
    select ${checkoutSettings.select()} from checkout_settings where account_id = ${accountId}`);
  return rows[0] ?? null;
}

/** The own settings of a project of the wallet; null where it has stored none. */
export async function findProjectSettings(
  queries: Queries,
  accountId: string,
  projectId: string,
): Promise<Pick<RowOf<typeof projectCheckoutSettings.columns>, "look" | "updatedAt"> | null> {
  const { rows } = await queries.query<RowOf<typeof projectCheckoutSettings.columns>>(sql`
    select ${projectCheckoutSettings.select()} from project_checkout_settings
    where account_id = ${accountId} and project_id = ${projectId}`);
  return rows[0] ?? null;
}

export const toProjectSettings = (
  row: { readonly look: OwnLook; readonly updatedAt: Date } | null,
): ProjectCheckoutSettings =>
  present<ProjectCheckoutSettings>({
    ...row?.look,
    returnHosts: row?.look.returnHosts && [...row.look.returnHosts],
    updatedAt: row?.updatedAt.toISOString(),
  });

/** @param secret only where the answer shows it. */
export function toSettings(row: SettingsRow | null, now: number, secret?: string): CheckoutSettings {
  return present({
    displayName: row?.displayName,
    color: row?.color,
    logo: row?.logo,
    supportContact: row?.supportContact,
    returnHosts: [...(row?.returnHosts ?? [])],
    locale: row?.locale,
    secret,
    rotation: row && showRotation(row, now),
    updatedAt: row?.updatedAt.toISOString(),
  });
}
