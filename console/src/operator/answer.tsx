import type { ReactNode } from "react";
import { Mark, type Shape } from "../parts/state.tsx";

/** What a screen has to say, in one sentence, and below it what follows from that. */
export function Answer({ shape, children, then }: { shape: Shape; children: ReactNode; then?: ReactNode }) {
  return (
    <div className="answer" role="status">
      <Mark shape={shape} />
      <div>
        <p className="answer-text">{children}</p>
        {then && <p className="second">{then}</p>}
      </div>
    </div>
  );
}
