import "./door.css";
import type { ReactNode } from "react";
import { useLook } from "../parts/look.ts";

/** What stands around every screen of somebody who is not inside yet: whose page it is, and the other language. */
export function Door({ children }: { children: ReactNode }) {
  const { changeLanguage, otherLanguage } = useLook();
  return (
    <div className="door">
      <header className="door-head">
        <svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true">
          <path d="M11 2 20 11 11 20 2 11Z" fill="none" stroke="currentColor" strokeWidth="2" strokeLinejoin="round" />
          <path d="M11 7.5 14.5 11 11 14.5 7.5 11Z" fill="currentColor" />
        </svg>
        <strong>Pixgate</strong>
        {/* A page that imitates this one has another address. */}
        <span className="small quiet">{window.location.host}</span>
        <button type="button" className="act small" onClick={changeLanguage}>
          {otherLanguage}
        </button>
      </header>
      <main className="door-in stack">{children}</main>
    </div>
  );
}
