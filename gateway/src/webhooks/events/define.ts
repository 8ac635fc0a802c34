import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
import { AnswerPart, component, OrNull, ref } from "../../http/contract.ts";
import { CATALOGUE, type EventKind } from "./catalogue.ts";
import type { Cause } from "./cause.ts";
import { is, text, time, uuid } from "./fields.ts";

type Component = TSchema & { readonly $id: string };

/** The circumstances of a sample event. */
export type Sampling = {
  /** The id of an object of the sample. */
  id(of: "charge" | "return" | "refund" | "withdrawal" | "block"): string;
  /** An instant of the sample: `days` after the event. */
  at(days?: number): string;
  readonly environment: "production" | "sandbox";
};

export const samplingOf = (happenedAt: Date, { id, environment }: Pick<Sampling, "id" | "environment">): Sampling => ({
  id,
  environment,
  at: (days = 0) => new Date(happenedAt.getTime() + days * 86_400_000).toISOString(),
});

/** The body of an event, as every delivery sends it (interface, Events). */
export type EventBody = {
  readonly event: EventKind;
  readonly eventId: string;
  readonly timestamp: string;
  /** The wallet's reference; null for the main account. */
  readonly subAccount: string | null;
  readonly data: object;
};

/** A kind of event with the schema of its data. `Data` is the type that `emit` takes. */
export type EventDefinition<Kind extends EventKind = EventKind, Data = object> = {
  readonly kind: Kind;
  /** What has happened: one sentence. */
  readonly summary: string;
  /** Version of the published API (`info.version`) that introduced the kind. */
  readonly since: string;
  /** The field of the data with the id of the object that the event is about. */
  readonly subject: string;
  /** The field of the data with the id that its `eventId` is made of: the subject, unless an object has several such events. */
  readonly idField: string;
  /** The schemas of the data and of the whole body, as components of the published document. */
  readonly components: { readonly data: Component; readonly body: Component };
  /** Data with every field, for the reference and for test events. Documents of persons have right check digits. */
  sample(sampling: Sampling): Data;
  /** Makes a real event of this kind happen in a sandbox. */
  readonly cause: Cause;
};

/** A definition for every kind of the catalogue. */
export type EventDefinitions = { readonly [Kind in EventKind]: EventDefinition<Kind> };

/** The data of a definition. */
export type EventData<D> = D extends EventDefinition<EventKind, infer Data> ? Data : never;

type Definition<Kind extends EventKind, Fields extends TProperties, Sample> = {
  readonly kind: Kind;
  readonly summary: string;
  readonly since: string;
  readonly subject: keyof Fields & string;
  readonly idField?: keyof Fields & string;
  readonly data: Fields;
  sample(sampling: Sampling): Sample;
  readonly cause: Cause;
};

/**
 * Defines a kind of event. The definition stands beside the noun that passes it to `emit`; program/events.ts collects all of
 * them.
 */
export function defineEvent<
  Kind extends EventKind,
  Fields extends TProperties,
  const Sample extends Static<TObject<Fields>>,
>(definition: Definition<Kind, Fields, Sample>): EventDefinition<Kind, Static<TObject<Fields>>> {
  const { kind, summary, since, subject, idField = subject, sample, cause } = definition;
  const name = nameOf(kind);
  const fields = {
    objectId: uuid(`Id of the object that the event is about: its \`${subject}\`.`),
    ...definition.data,
    ...testMark,
  };
  const data = component(`${name}Data`, AnswerPart(`Data of \`${kind}\`.`, fields));
  const body = component(`${name}Event`, AnswerPart(summary, envelope(kind, idField, data)));
  return { kind, summary, since, subject, idField, components: { data, body }, sample, cause };
}

/** The data as a delivery sends it: for every kind, `objectId` is the id of the object that the event is about. */
export const sentData = <Data extends object>({ subject }: EventDefinition, data: Data) => ({
  objectId: data[subject as keyof Data] as string,
  ...data,
});

const testMark = {
  test: Type.Optional(Type.Literal(true, { description: "Only in a test delivery: nothing has happened." })),
};

function envelope(kind: EventKind, idField: string, data: Component) {
  const rule = CATALOGUE[kind].eventId;
  const named = rule === "<id>" ? `the \`${idField}\`` : `\`${kind}_<${idField}>\``;
  const eventId = rule.endsWith("[_failed]")
    ? `${named}, and \`_failed\` behind it where \`status\` is \`failed\``
    : named;
  return {
    event: is(kind, "Kind of the event."),
    eventId: text(`Unique: ${eventId}. Redeliveries have the same, so receivers drop repeats by it.`),
    timestamp: time("When the gateway booked it."),
    subAccount: OrNull(
      Type.String(),
      "Reference of the sub-account whose wallet it is about; null for the main account.",
    ),
    data: ref(data),
  };
}

/** `payment_completed` → `PaymentCompleted`. */
const nameOf = (kind: string): string => kind.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
