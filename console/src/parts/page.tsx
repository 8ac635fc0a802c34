import { type ReactNode, useEffect } from "react";
import { Link } from "wouter";
import { Boundary } from "./boundary.tsx";
import { PartName } from "./feedback.tsx";

/** A screen: its title, where it belongs, what can be done. */
export function Page(props: {
  title: string;
  /** In place of the title's text, such as an amount. */
  heading?: ReactNode;
  crumb?: { readonly href: string; readonly text: string };
  /** Beside the title, such as a state. */
  beside?: ReactNode;
  acts?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${props.title} · Pixgate`;
  }, [props.title]);
  return (
    <>
      <div className="page-head">
        <div>
          {props.crumb && (
            <div className="crumbs">
              <Link href={props.crumb.href} className="link">
                {props.crumb.text}
              </Link>
              {/* A title that is the heading too is not said twice. */}
              {props.heading !== undefined && ` / ${props.title}`}
            </div>
          )}
          <div className="page-title">
            <h1>{props.heading ?? props.title}</h1>
            {props.beside}
          </div>
        </div>
        {props.acts && <div className="page-acts">{props.acts}</div>}
      </div>
      <PartName value={props.title}>{props.children}</PartName>
    </>
  );
}

export function Section({ title, end, children }: { title: string; end?: ReactNode; children: ReactNode }) {
  return (
    <section className="section">
      <div className="section-head">
        <h2>{title}</h2>
        {end && <div className="small quiet">{end}</div>}
      </div>
      <Boundary>
        <PartName value={title}>{children}</PartName>
      </Boundary>
    </section>
  );
}
