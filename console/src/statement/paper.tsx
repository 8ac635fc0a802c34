import { type ReactNode, useEffect } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "react-i18next";
import { showDayAndClock } from "../parts/instant.ts";
import "./printed.css";

/**
 * A document for paper, which a browser also stores as PDF. It is beside the page, and seen in print alone, in place of the screen.
 *
 * @param props.name what it is, of whom and of when; a browser proposes it as the file's name.
 */
export function Paper({ name, heading, children }: { name: string; heading: string; children: ReactNode }) {
  const { i18n } = useTranslation();
  const fileName = name.replaceAll("/", "-");
  useEffect(() => {
    const title = document.title;
    const before = () => {
      document.title = fileName;
    };
    const after = () => {
      document.title = title;
    };
    window.addEventListener("beforeprint", before);
    window.addEventListener("afterprint", after);
    return () => {
      window.removeEventListener("beforeprint", before);
      window.removeEventListener("afterprint", after);
    };
  }, [fileName]);
  return createPortal(
    <article className="printed" lang={i18n.language}>
      <h1>{heading}</h1>
      {children}
    </article>,
    document.body,
  );
}

/** Names and values at a document's head; what is undefined is left out. */
export function PaperHead({ facts }: { facts: readonly (readonly [string, string | undefined])[] }) {
  return (
    <dl>
      {facts.map(
        ([name, fact]) =>
          fact !== undefined && [
            <dt key={name}>{name}</dt>,
            <dd key={`${name} fact`}>
              <bdi>{fact}</bdi>
            </dd>,
          ],
      )}
    </dl>
  );
}

/** When a document was made, at its foot. */
export function MadeAt({ at }: { at: Date }) {
  const { t, i18n } = useTranslation();
  return <p className="foot">{t("print.madeAt", { at: showDayAndClock(at, i18n.language) })}</p>;
}
