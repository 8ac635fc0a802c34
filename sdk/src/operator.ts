import { Operations } from "./generated/operator-operations.ts";
import { givenToken } from "./token.ts";
import { type CallOptions, type Request, Transport, type TransportOptions } from "./transport.ts";

/** How an operator reaches the gateway. */
export type PixgateOperatorOptions = TransportOptions & {
  /** Address of the gateway; `/operator/v1` is added where it is missing. */
  readonly baseUrl: string;
  /** Operator token, or a function that gives one. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** In a browser, in place of a token: the session whose cookie goes along, and its token against forged requests. */
  readonly session?: { readonly csrfToken: string };
};

/**
 * The operators' API: accounts, credentials, institutions, the books.
 *
 *     const operator = new PixgateOperator({ baseUrl, token });
 *     const account = await operator.accounts.create({ name: "Loja Maria" });
 */
export class PixgateOperator extends Operations {
  readonly #transport: Transport;

  constructor({ baseUrl, token, session, ...options }: PixgateOperatorOptions) {
    const root = baseUrl.replace(/\/+$/, "");
    const base = /\/operator\/v\d+$/.test(root) ? root : `${root}/operator/v1`;
    const tokens = token === undefined || session !== undefined ? null : givenToken(token);
    const bare = new Transport(base, tokens, options);
    const transport = session === undefined ? bare : bare.with({ "x-pixgate-csrf": session.csrfToken });
    super(transport);
    this.#transport = transport;
  }

  /** Sends a request of your own, as `Pixgate.request` does. Its path is below `/operator/v1`. */
  request<T>(request: Request, options: CallOptions = {}): Promise<T> {
    return this.#transport.send<T>(request, options);
  }
}
