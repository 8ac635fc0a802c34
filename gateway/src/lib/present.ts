/**
 * The fields of a shape, where what is optional may be null or undefined instead of left out. A field that the shape itself
 * lets be null cannot be among them: it would be left out. Nothing fits a shape without fields: none is expected there.
 */
type Nullable<T> = [keyof T] extends [never]
  ? never
  : {
      [F in keyof T]: null extends T[F]
        ? unknown extends T[F]
          ? T[F]
          : never
        : Record<never, never> extends Pick<T, F>
          ? T[F] | null | undefined
          : T[F];
    };

/**
 * An object of the shape that is expected, without the optional fields that are null or undefined: what a row leaves empty
 * is left out of an answer. The other fields keep their order. The shape is that of the place where the object is expected;
 * a generic callback expects none, so there it is named: `present<Shape>({ … })`.
 */
export function present<Shape extends object>(fields: Nullable<NoInfer<Shape>>): Shape {
  const all = fields as Readonly<Record<string, unknown>>;
  const given: Record<string, unknown> = {};
  for (const field in all) {
    const value = all[field];
    if (value !== null && value !== undefined) given[field] = value;
  }
  return given as Shape;
}

/**
 * As `present`, for the objects of long pages: the given object itself, where what is empty is undefined, which the serialisers
 * leave out too. All objects of a page then have one shape, and a page is made in a third of the time.
 */
export function presentInPlace<Shape extends object>(fields: Nullable<NoInfer<Shape>>): Shape {
  const all = fields as Record<string, unknown>;
  for (const field in all) if (all[field] === null) all[field] = undefined;
  return all as Shape;
}
