/** What the tests use of `oidc-provider`, which comes without types. */
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  type Account = {
    readonly accountId: string;
    claims(): Promise<Record<string, unknown>>;
  };
  export default class Provider {
    constructor(
      issuer: string,
      configuration: Record<string, unknown> & {
        findAccount(context: unknown, subject: string): Promise<Account>;
      },
    );
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
  }
}
