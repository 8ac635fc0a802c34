/** How calls and queries of a PSP end, as types only. */

/**
 * How a call that changes something at the PSP ended.
 * - `accepted`: the PSP has done it, or will.
 * - `rejected`: the PSP refused in a way that proves it did nothing (a recognised 4xx).
 * - `unsent`: no byte of the request left this machine (refused connection, no token, name not found).
 * - `unknown`: anything else. Not a failure: query or repeat with the same id.
 */
export type Outcome<T, Code extends string = string> =
  | { readonly kind: "accepted"; readonly value: T }
  | { readonly kind: "rejected"; readonly httpStatus: number; readonly code: Code; readonly message: string }
  | { readonly kind: "unsent"; readonly reason: string }
  | { readonly kind: "unknown"; readonly reason: string };

/**
 * How a query ended. `absent`: the PSP answered that it does not have the object (for a PSP whose reads lag, this may mean
 * *not yet*). With `forGood` the PSP has something under this name that never becomes the object asked for, such as a payment
 * that ended unpaid. `unknown`: it did not answer usefully.
 */
export type Found<T> =
  | { readonly kind: "found"; readonly value: T }
  | { readonly kind: "absent"; readonly forGood?: true }
  | { readonly kind: "unknown"; readonly reason: string };
