import { type Static, type TSchema, Type } from "typebox";
import type { Context } from "../context.ts";
import { Exact } from "../http/contract.ts";
import type { Level } from "../http/roles.ts";
import { NOT_BLANK } from "../http/validation-error.ts";
import { present } from "../lib/present.ts";
import type { Facts } from "./basis.ts";
import type { CaseKind } from "./case.ts";
import type { CaseRow } from "./list.ts";
import type { CaseParameter } from "./schema.ts";

/** Parameters of an action that takes none. */
export const NO_PARAMETERS = Exact({});
/** Parameters of an action that the books cannot explain: its reason. */
export const REASON = Exact({ reason: Type.String({ minLength: 1, maxLength: 255, pattern: NOT_BLANK }) });

/** Who wants it executed, and under which id: executing the same proposal again must change nothing. */
type Execution = {
  readonly proposalId: string;
  readonly actor: string;
  /** When it was approved; the same each time it is executed. */
  readonly decidedAt: Date;
};

/**
 * Something that an operator can do about a case. The noun that owns the object provides it; `cases/` knows only this type.
 */
export type CaseAction = {
  /** Name in the API, such as `force_completed`. */
  readonly action: string;
  readonly kinds: readonly CaseKind[];
  /** Whether it is possible in a case of its kinds; left out: in all of them. */
  fits?(about: CaseRow): boolean;
  /** A description of its effect, for the person who proposes or approves it. */
  readonly description: string;
  /** Who may propose and approve it; left out: everybody who may decide cases. */
  readonly role?: Level | ((about: CaseRow) => Level);
  /** It always needs the approval of a second person, whatever the installation requires of other actions. */
  readonly needsTwo?: true;
  /** The case exists only for this proposal: it closes when the proposal is rejected, or cannot be executed any more. */
  readonly isTheCase?: true;
  /** The schema of its parameters. */
  readonly parameters: TSchema;
  /**
   * Throws `ApiError` if the parameters do not fit the case, before a second person is asked. `execute` checks them
   * again, because the case may have changed by then.
   */
  check?(about: CaseRow, parameters: Readonly<Record<string, unknown>>): void;
  /**
   * The parts of the case's evidence on which the decision is based, beside its status; left out: all of it, and the
   * amount.
   */
  readonly restsOn?: readonly string[];
  /**
   * The centavos that it moves: above the amount that one person may move alone it needs a second one. Null where the sum
   * is not known before: then it always needs one. Left out: the case's amount.
   */
  amount?(about: CaseRow, parameters: Readonly<Record<string, unknown>>): number | null;
  /**
   * The state of the object in the books. The first money command of `execute` compares it (`carryingOut` of
   * cases/basis.ts).
   */
  standing(ctx: Context, about: CaseRow): Promise<Facts>;
  /**
   * Reads facts that the action assumes and the books do not contain: queries the institution, and books its answer like a
   * poll. Called when it is proposed, and again before it is executed.
   */
  ask?(ctx: Context, about: CaseRow, parameters: Readonly<Record<string, unknown>>): Promise<Facts>;
  /**
   * Executes it, through money commands that answer "already done" where that is so; `carryingOut` makes the first of them.
   * Throws `ApiError` where the object has changed and it is not possible any more: nothing has moved then.
   *
   * @returns the result, for the case's history.
   */
  execute(
    ctx: Context,
    about: CaseRow,
    parameters: Readonly<Record<string, unknown>>,
    execution: Execution,
  ): Promise<Readonly<Record<string, unknown>>>;
};

type Property = { readonly type?: string; readonly enum?: readonly string[] };

/** Describes an action's parameters, for whoever proposes it. */
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
