import { Operations } from "./generated/operator-operations.ts";
import { givenToken } from "./token.ts";
import { Transport, type TransportOptions } from "./transport.ts";

/** How an operator reaches the gateway. */
export type PixgateOperatorOptions = TransportOptions & {
  /** Address of the gateway; `/operator/v1` is added where it is missing. */
  readonly baseUrl: string;
  /** Operator token, or a function that gives one. Left out: a session cookie. */
  readonly token?: string | (() => string | Promise<string>);
};

/**
 * The operators' API: accounts, credentials, institutions, the books.
 *
 *     const operator = new PixgateOperator({ baseUrl, token });
 *     const account = await operator.accounts.create({ name: "Loja Maria" });
 */
export class PixgateOperator extends Operations {
  constructor({ baseUrl, token, ...options }: PixgateOperatorOptions) {
    const root = baseUrl.replace(/\/+$/, "");
    const base = /\/operator\/v\d+$/.test(root) ? root : `${root}/operator/v1`;
    super(new Transport(base, token === undefined ? null : givenToken(token), options));
  }
}
