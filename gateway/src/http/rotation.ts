import { Type } from "typebox";
import type { RotatedSecret } from "../lib/rotation.ts";
import { AnswerPart } from "./contract.ts";

/** Field of an answer: the rotation of a secret. */
export const Rotation = Type.Optional(
  AnswerPart("Only while the secret is being replaced.", {
    endsAt: Type.String({
      format: "date-time",
      description: "Until then both secrets sign, afterwards only the new one.",
    }),
  }),
);

/** The rotation as answers show it; null where none is under way. */
export const showRotation = ({ rotationEndsAt: ends }: Pick<RotatedSecret, "rotationEndsAt">, now: number) =>
  ends !== null && ends.getTime() > now ? { endsAt: ends.toISOString() } : null;
