import "./waits.css";
import type { ReactNode } from "react";
import { Mark, type Shape } from "./state.tsx";

/** What waits for a person, above a list: one sentence, below it what to know, and at its end the act. */
export function Waits(props: { shape?: Shape; children: ReactNode; below?: ReactNode; act?: ReactNode }) {
  const { shape = "needs", children, below, act } = props;
  return (
    <div className="waits">
      <Mark shape={shape} />
      <p>
        <span className="heavy">{children}</span>
        {below && <span className="label block">{below}</span>}
      </p>
      {act}
    </div>
  );
}
