import "./more.css";
import { type ReactNode, useRef } from "react";

/** Fields of a form that most people leave empty, folded. A field among them that the browser refuses unfolds them. */
export function More({ label, children }: { label: string; children: ReactNode }) {
  const folded = useRef<HTMLDetailsElement>(null);
  const unfold = () => {
    if (folded.current) folded.current.open = true;
  };
  return (
    <details className="more" ref={folded} onInvalidCapture={unfold}>
      <summary className="act">{label}</summary>
      <div className="stack pad-top">{children}</div>
    </details>
  );
}
