// Written by scripts/console-answers.ts from the gateway's routes. Do not edit.
import type { operator } from "@pixgate/sdk";

/** What each operation of `/console/api` answers, unless it is nothing. */
export type Answers = {
  readonly drawCode: { readonly image: string };
  readonly listAccountCredentials: operator.CredentialPage;
  readonly listAccountPeople: { readonly items: readonly { readonly personId: string; readonly name: string; readonly email: string | null; readonly role: string }[] };
  readonly listAccountPeopleInvitations: { readonly items: readonly { readonly invitationId: string; readonly email: string; readonly name: string | null; readonly role: string; readonly invitedBy: string; readonly createdAt: string; readonly expiresAt: string }[] };
  readonly listNotices: { readonly since: string; readonly items: readonly { readonly id: string; readonly action: string; readonly at: string; readonly isNew: boolean; readonly by: string | null; readonly browser: string | null; readonly address: string | null; readonly email: string | null; readonly role: string | null }[] };
  readonly listPasskeys: { readonly items: readonly { readonly id: string; readonly name: string; readonly synced: boolean; readonly createdAt: string; readonly lastUsedAt: string | null }[] };
  readonly listPeople: Answers["listAccountPeople"];
  readonly listPeopleInvitations: Answers["listAccountPeopleInvitations"];
  readonly listRecoveryLinks: { readonly items: readonly { readonly linkId: string; readonly personId: string; readonly name: string; readonly email: string | null; readonly madeBy: string; readonly createdAt: string; readonly expiresAt: string }[] };
  readonly listSessions: { readonly items: readonly { readonly id: string; readonly browser: string | null; readonly address: string | null; readonly createdAt: string; readonly seenAt: string; readonly expiresAt: string; readonly current: boolean }[] };
  readonly readAuthenticator: { readonly since: string | null; readonly required: boolean; readonly recoveryCodesLeft: number };
  readonly readMethods: { readonly password: boolean; readonly passkey: boolean; readonly provider: string | null };
  readonly readRoles: { readonly installation: Readonly<Record<string, readonly string[]>>; readonly account: Readonly<Record<string, readonly string[]>> };
  readonly readSession: { readonly person: { readonly id: string; readonly name: string; readonly email: string | null; readonly language: "pt-BR" | "en" | null }; readonly csrfToken: string; readonly environment: "sandbox" | "production"; readonly bankUrl: string | null; readonly installationRole: "support" | "finance" | "admin" | "auditor" | null; readonly accounts: readonly { readonly accountId: string; readonly name: string; readonly role: "owner" | "finance" | "developer" | "support" | "viewer" }[]; readonly permissions: Readonly<Record<string, readonly string[]>>; readonly expiresAt: string; readonly freshUntil: string | null; readonly hasPassword: boolean; readonly hasAuthenticator: boolean; readonly hasPasskey: boolean; readonly hasProvider: boolean; readonly missing: readonly ("password" | "authenticator")[] };
  readonly readTraffic: { readonly running: { readonly minutes: number; readonly perMinute: number; readonly startedAt: string; readonly endsAt: string; readonly done: { readonly charges: number; readonly payments: number; readonly withdrawals: number; readonly refunds: number; readonly contests: number; readonly endpoints: number; readonly refused: number } } | null };
  readonly addAccountCredential: { readonly id: string; readonly clientId: string; readonly clientSecret: string };
  readonly addPasskey: { readonly id: string; readonly session: Answers["readSession"] };
  readonly adoptAccountCredential: operator.Credential;
  readonly answerOfProvider: Answers["readSession"];
  readonly changeAccountPeople: { readonly ended: readonly { readonly kind: "token" | "credential" | "invitation" | "recovery"; readonly id: string; readonly name: string; readonly accountId: string | null }[]; readonly adopted: readonly { readonly kind: "token" | "credential" | "invitation" | "recovery"; readonly id: string; readonly name: string; readonly accountId: string | null }[] };
  readonly changePeople: Answers["changeAccountPeople"];
  readonly confirmAtProvider: { readonly url: string };
  readonly confirmAuthenticator: { readonly recoveryCodes: readonly string[]; readonly session: Answers["readSession"] };
  readonly confirmOptions: Readonly<Record<string, unknown>>;
  readonly confirmSession: Answers["readSession"];
  readonly endOtherSessions: { readonly ended: number };
  readonly enrolAuthenticator: { readonly secret: string; readonly uri: string; readonly qrCode: string };
  readonly inviteAccountPeople: { readonly link: string; readonly expiresAt: string };
  readonly invitePeople: Answers["inviteAccountPeople"];
  readonly lookAtLink: { readonly purpose: "first" | "invitation" | "recovery"; readonly email: string | null; readonly name: string | null; readonly role: string | null; readonly account: string | null; readonly madeBy: string | null; readonly expiresAt: string };
  readonly newPasskeyOptions: Readonly<Record<string, unknown>>;
  readonly passkeyOptions: Readonly<Record<string, unknown>>;
  readonly removeAccountPeople: Answers["changeAccountPeople"];
  readonly removePeople: Answers["changeAccountPeople"];
  readonly renameAccountCredential: operator.Credential;
  readonly replaceRecoveryCodes: { readonly recoveryCodes: readonly string[] };
  readonly rotateAccountCredential: Answers["addAccountCredential"];
  readonly signInAtProvider: Answers["confirmAtProvider"];
  readonly signInByPasskey: Answers["readSession"];
  readonly signInByPassword: Answers["readSession"];
  readonly startTraffic: Answers["readTraffic"];
  readonly useLink: Answers["readSession"];
};
