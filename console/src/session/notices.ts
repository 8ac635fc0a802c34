import { callConsole } from "./calls.ts";

/** What happened to the person's access. */
export type Notice = {
  readonly id: string;
  /** As the audit log has it: `person.sign-in`. */
  readonly action: string;
  readonly at: string;
  /** Not seen yet, and not of this session's own sign-in. */
  readonly isNew: boolean;
  readonly by: string | null;
  readonly browser: string | null;
  readonly address: string | null;
  readonly email: string | null;
  readonly role: string | null;
};

type Notices = { readonly since: string; readonly items: readonly Notice[] };

/** The person's newest notices, read once for each page. */
export const NOTICES = {
  queryKey: ["notices"],
  queryFn: () => callConsole<Notices>("GET", "/me/notices"),
  staleTime: 60_000,
};
