import { type Static, type TSchema, Type } from "typebox";
import type { Context } from "../context.ts";
import type { Level } from "../http/roles.ts";
import { NOT_BLANK } from "../http/validation-error.ts";
import { present } from "../lib/present.ts";
import type { Facts } from "./basis.ts";
import type { CaseKind } from "./case.ts";
import type { CaseRow } from "./list.ts";
import type { CaseParameter } from "./schema.ts";

/** Of an action that needs none. */
export const NO_PARAMETERS = Type.Object({}, { additionalProperties: false });
/** Of an action that the books cannot explain: why. */
export const REASON = Type.Object(
  { reason: Type.String({ minLength: 1, maxLength: 255, pattern: NOT_BLANK }) },
  { additionalProperties: false },
);

/** Who wants it executed, and under which id: executing the same proposal again must change nothing. */
type Execution = {
  readonly proposalId: string;
  readonly actor: string;
  /** When it was approved; the same each time it is executed. */
  readonly decidedAt: Date;
};

/**
 * Something that an operator can do about a case. The noun that owns the object provides it; `cases/` knows only this
 * shape.
 */
export type CaseAction = {
  /** Name in the API, such as `force_completed`. */
  readonly action: string;
  readonly kinds: readonly CaseKind[];
  /** Whether it is possible in a case of these kinds; left out: in all of them. */
  fits?(about: CaseRow): boolean;
  /** What it will do, for the person who proposes or approves it. */
  readonly says: string;
  /** Who may propose and approve it; left out: whoever may decide about cases. */
  readonly role?: Level | ((about: CaseRow) => Level);
  /** It is executed only when a second person has approved it, whatever the installation asks of other actions. */
  readonly needsTwo?: true;
  /** The case is about this proposal alone: it closes when the proposal is rejected, or cannot be executed any more. */
  readonly isTheCase?: true;
  /** Of its parameters. */
  readonly parameters: TSchema;
  /**
   * Throws `ApiError` where the parameters do not fit what the case shows, before a second person is asked; `execute` checks it again,
   * since the case may have changed by then.
   */
  check?(about: CaseRow, parameters: Readonly<Record<string, unknown>>): void;
  /** What of the case's evidence the decision rests on, beside its status; left out: all of it, and the amount. */
  readonly restsOn?: readonly string[];
  /**
   * What it moves, centavos: who moves more than the installation lets one person move alone needs a second one. Null where it moves
   * no sum that is known before: then it always needs one. Left out: the case's amount.
   */
  amount?(about: CaseRow, parameters: Readonly<Record<string, unknown>>): number | null;
  /** How the books have the object. The first money command of `execute` compares it (`carryingOut` of cases/basis.ts). */
  standing(ctx: Context, about: CaseRow): Promise<Facts>;
  /**
   * Reads what the action assumes and these books cannot say: queries the institution about what it did, and books what it
   * shows as a poll does. Called when it is proposed, and again before it is carried out.
   */
  ask?(ctx: Context, about: CaseRow, parameters: Readonly<Record<string, unknown>>): Promise<Facts>;
  /**
   * Does it, through money commands that answer "already done" where it was done before; the first of them is made by
   * `carryingOut`. Throws `ApiError` where the object has moved on and it is not possible any more: nothing has moved then.
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

type Property = { readonly type?: string; readonly enum?: readonly string[] };

/** What an action's parameters are, for whoever proposes it. */
export function parametersOf({ parameters }: Pick<CaseAction, "parameters">): Static<typeof CaseParameter>[] {
  const { properties = {}, required = [] } = parameters as {
    readonly properties?: Readonly<Record<string, Property>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { type, enum: values }]) =>
    present<Static<typeof CaseParameter>>({
      name,
      required: required.includes(name),
      type: type === "number" ? "number" : "string",
      values: values && [...values],
    }),
  );
}
