import type { ReactNode } from "react";
import { Mark, type Shape } from "../parts/state.tsx";

/** What a screen has to say, in one sentence, and below it what follows from that. A mere count or sum is in no state, and has no shape. */
export function Answer({ shape, children, then }: { shape?: Shape; children: ReactNode; then?: ReactNode }) {
  return (
    <div className="answer" role="status">
      {shape && <Mark shape={shape} />}
      <div>
        <p className="answer-text">{children}</p>
        {then && <p className="second">{then}</p>}
      </div>
    </div>
  );
}
