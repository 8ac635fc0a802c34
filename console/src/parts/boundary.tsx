import { Component, type ReactNode, useEffect } from "react";
import { useTranslation } from "react-i18next";

/** How often a page whose files could not be loaded tries whether the gateway answers. */
const PROBE_MS = 3_000;
/** A page reloads itself at most once in this time: files that are gone for good must not make it reload for ever. */
const RELOAD_EVERY_MS = 60_000;
const RELOADED_AT = "pixgate.reloadedAt";

type Props = {
  children: ReactNode;
  /** What is shown, such as a screen: when it changes, it is tried once more. */
  of?: string;
  /** Nothing on the page would be lost by a reload, such as a half-filled form. */
  isScreen?: boolean;
};

/** Shows an error in place of a part that cannot be drawn or loaded, with the id to quote; the rest of the page stays. */
export class Boundary extends Component<Props, { error: unknown; failed: boolean }> {
  override state = { error: null as unknown, failed: false };

  static getDerivedStateFromError(error: unknown) {
    return { error, failed: true };
  }

  override componentDidUpdate(before: Props) {
    if (this.state.failed && before.of !== this.props.of) this.setState({ error: null, failed: false });
  }

  override render() {
    const { error, failed } = this.state;
    return failed ? <Broken error={error} isScreen={this.props.isScreen ?? false} /> : this.props.children;
  }
}

/** The messages of Chromium, Firefox and Safari for a file of the page that could not be loaded. */
const NOT_LOADED =
  /dynamically imported module|Importing a module script failed|Unable to preload|ChunkLoadError|Failed to fetch/i;
const isNotLoaded = (error: unknown): boolean => error instanceof Error && NOT_LOADED.test(error.message);

function Broken({ error, isScreen }: { error: unknown; isScreen: boolean }) {
  const { t } = useTranslation();
  const notLoaded = isNotLoaded(error);
  useEffect(() => (notLoaded && isScreen ? reloadWhenAnswered() : undefined), [notLoaded, isScreen]);
  return (
    <div className="feedback small" role="alert">
      <p>
        {t(notLoaded ? "feedback.notLoaded" : "feedback.broken")} {notLoaded && isScreen && t("feedback.waiting")}{" "}
        <button type="button" className="act" onClick={() => window.location.reload()}>
          {t("feedback.reload")}
        </button>
        {!notLoaded && (
          <span className="quiet">
            {" "}
            · {t("feedback.trace")} <span className="mono">{String(error)}</span>
          </span>
        )}
      </p>
    </div>
  );
}

/**
 * A file of the page is missing because the gateway is away, or was upgraded since the page was opened: the page is loaded anew as
 * soon as the gateway answers.
 *
 * @returns ends it.
 */
export function reloadWhenAnswered(): () => void {
  const probing = setInterval(() => {
    if (Date.now() - Number(sessionStorage.getItem(RELOADED_AT) ?? 0) < RELOAD_EVERY_MS) return;
    fetch("/console/", { cache: "no-store", signal: AbortSignal.timeout(PROBE_MS) }).then(
      (answer) => {
        if (!answer.ok) return;
        sessionStorage.setItem(RELOADED_AT, String(Date.now()));
        window.location.reload();
      },
      () => undefined,
    );
  }, PROBE_MS);
  return () => clearInterval(probing);
}
