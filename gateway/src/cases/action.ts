import { type TSchema, Type } from "typebox";
import type { Context } from "../context.ts";
import { NOT_BLANK } from "../http/validation-error.ts";
import type { CaseKind } from "./case.ts";
import type { CaseRow } from "./list.ts";

/** Of an action that needs none. */
export const NO_PARAMETERS = Type.Object({}, { additionalProperties: false });
/** Of an action that the books cannot explain: why. */
export const REASON = Type.Object(
  { reason: Type.String({ minLength: 1, maxLength: 255, pattern: NOT_BLANK }) },
  { additionalProperties: false },
);

/** Who wants it executed, and under which id: executing the same proposal again must change nothing. */
type Execution = { readonly proposalId: string; readonly actor: string };

/**
 * Something that an operator can do about a case. The noun that owns the object provides it; `cases/` knows only this
 * shape.
 */
export type CaseAction = {
  /** Name in the API, such as `force_completed`. */
  readonly action: string;
  readonly kinds: readonly CaseKind[];
  /** What it will do, for the person who proposes or approves it. */
  readonly says: string;
  /** Of its parameters. */
  readonly parameters: TSchema;
  /**
   * Does it, through money commands that answer "already done" where it was done before. Throws `ApiError` where the
   * object has moved on and it is not possible any more: nothing has moved then.
   *
   * @returns what it came to, for the case's history.
   */
  execute(
    ctx: Context,
    about: CaseRow,
    parameters: Readonly<Record<string, unknown>>,
    execution: Execution,
  ): Promise<Readonly<Record<string, unknown>>>;
};
