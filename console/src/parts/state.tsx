import type { ReactNode } from "react";

/** Filled circle, ring, half circle, diamond, square, dash. */
export type Shape = "done" | "waiting" | "moving" | "needs" | "failed" | "ended";

export function Mark({ shape }: { shape: Shape }) {
  return <span className={`shape ${shape}`} aria-hidden="true" />;
}

/** A state: a shape and a word. */
export function State({ shape, children }: { shape: Shape; children: ReactNode }) {
  return (
    <span className="state">
      <Mark shape={shape} />
      <span>{children}</span>
    </span>
  );
}
