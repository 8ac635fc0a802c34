import { type CSSProperties, lazy, type ReactNode, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "wouter";
import { OPERATOR_SCREENS } from "../operator/screens.ts";
import { Boundary } from "../parts/boundary.tsx";
import { Icon } from "../parts/icon.tsx";
import { showDayTime } from "../parts/instant.ts";
import { NewRowsPlace } from "../parts/new-rows.tsx";
import { isOperators, type Screen } from "../parts/screen.ts";
import { Mark } from "../parts/state.tsx";
import { openSearch, useSearchAsked } from "../search/open.ts";
import { useLive } from "../session/live.tsx";
import { useSession } from "../session/session.tsx";
import { useSilence } from "../session/silence.ts";
import { withTexts } from "../texts/language.ts";
import { useKeepFocus } from "./keep-focus.ts";
import { PersonMenu, PlaceSwitcher, useReference } from "./menus.tsx";
import { SCREENS, useScreens } from "./screens.ts";
import { Shortcuts } from "./shortcuts.tsx";
import { Unseen } from "./unseen.tsx";

const Search = lazy(() => withTexts(() => import("../search/search.tsx"), "screens"));

/** Navigation, bar and content; on a phone the bar and five tabs. */
export function Shell({ children }: { children: ReactNode }) {
  const { t, i18n } = useTranslation();
  const isSearchAsked = useSearchAsked();
  const silence = useSilence();
  useKeepFocus();
  return (
    <>
      <a className="skip" href="#content">
        {t("shell.skip")}
      </a>
      <div className="shell">
        <nav className="nav" aria-label={t("shell.navigation")}>
          <PlaceSwitcher />
          <Navigation />
          <div className="nav-end">
            <PersonMenu />
          </div>
        </nav>
        <div>
          <Bar />
          <SeenAccount />
          <main
            className={silence ? "content old" : "content"}
            id="content"
            tabIndex={-1}
            // In quotes, as the style sheet shows it beside the title.
            style={silence ? asProperty("--as-of", t("shell.asOf", { time: showDayTime(silence, i18n.language) })) : {}}
          >
            <NewRowsPlace />
            {children}
          </main>
        </div>
        <PhoneTabs />
      </div>
      {isSearchAsked && (
        <Boundary>
          <Suspense fallback={null}>
            <Search />
          </Suspense>
        </Boundary>
      )}
      <Shortcuts />
    </>
  );
}

const asProperty = (name: string, text: string): CSSProperties => ({ [name]: JSON.stringify(text) });

/** The operators' groups, then all, in the order of the navigation. */
const OF_OPERATORS: readonly Screen["group"][] = ["operator", "records", "installation"];
const GROUPS = ["money", "developers", "account", "operator", "records", "installation"] as const;

function Navigation() {
  const { t } = useTranslation();
  const screens = useScreens();
  const { session, isSeen } = useSession();
  const [location] = useLocation();
  const operates = isOperators(location);
  // An account's screens have only the link to the installation; there the switcher leads to the accounts.
  const isShown = ({ path, group }: Screen) =>
    session.accounts.length === 0 && !isSeen
      ? true
      : operates
        ? OF_OPERATORS.includes(group)
        : !OF_OPERATORS.includes(group) || path === "/operator";
  const groups = GROUPS.map((group) => ({
    group,
    shown: screens.filter((screen) => screen.group === group && isShown(screen)),
  })).filter(({ shown }) => shown.length > 0);
  return groups.map(({ group, shown }, i) => (
    <div key={group} className="nav-group">
      {group !== "money" && i > 0 && <div className="label">{t(`nav.group.${group}`)}</div>}
      {shown.map((screen) => (
        <NavigationLink key={screen.path} screen={screen} />
      ))}
      {(group === "developers" || (operates && i === groups.length - 1)) && <Reference />}
    </div>
  ));
}

/** The screen itself or one below it; Home and the operator's overview have all others below them. */
function isAt(location: string, path: string): boolean {
  return location === path || (path !== "/" && path !== "/operator" && location.startsWith(`${path}/`));
}

function NavigationLink({ screen: { path, text, icon, Count } }: { screen: Screen }) {
  const { t } = useTranslation();
  const [location] = useLocation();
  return (
    <Link href={path} className="nav-item" aria-current={isAt(location, path) ? "page" : undefined}>
      {icon && <Icon name={icon} />}
      {t(text)}
      {Count && <Count />}
    </Link>
  );
}

/** The interactive reference of the API that the screens at this place call; a page of its own. */
function Reference() {
  const { t } = useTranslation();
  const href = useReference();
  return (
    <a href={href} target="_blank" rel="noreferrer" className="nav-item">
      <Icon name="code" />
      {t("nav.reference")}
    </a>
  );
}

function Bar() {
  const { t } = useTranslation();
  const { session } = useSession();
  return (
    <header className="bar">
      <div className="phone-only">
        <PlaceSwitcher />
      </div>
      <button type="button" className="bar-search" onClick={openSearch}>
        <Icon name="search" /> <span className="cut">{t("search.placeholder")}</span>
        <kbd>Ctrl K</kbd>
      </button>
      <div className="bar-end">
        <Unseen />
        <LiveMark />
        {session.environment === "sandbox" && <span className="sandbox-mark">Sandbox</span>}
      </div>
    </header>
  );
}

/** Says whose account is shown, and that it can only be read. */
function SeenAccount() {
  const { t } = useTranslation();
  const { account, isSeen, see } = useSession();
  const [location, go] = useLocation();
  if (!isSeen || isOperators(location)) return null;
  const back = () => {
    see(null);
    go(`/operator/accounts/${account.accountId}`);
  };
  return (
    <p className="seen" role="status">
      <Mark shape="needs" />
      <span>{t("shell.seen", { name: account.name })}</span>
      <button type="button" className="act" onClick={back}>
        {t("shell.seenBack")}
      </button>
    </p>
  );
}

function LiveMark() {
  const { t, i18n } = useTranslation();
  const live = useLive();
  const silence = useSilence();
  const text =
    silence !== null
      ? t("shell.silent", { since: showDayTime(silence, i18n.language) })
      : t(live ? "shell.live" : "shell.polling");
  return (
    <span className={silence !== null ? "live silent" : "live"} role="status">
      <Mark shape={silence !== null ? "failed" : live ? "done" : "waiting"} />
      {silence !== null ? (
        <span>{text}</span>
      ) : (
        <>
          <span className="wide-only">{text}</span>
          <span className="hidden phone-only">{text}</span>
        </>
      )}
    </span>
  );
}

function PhoneTabs() {
  const { t } = useTranslation();
  const [location] = useLocation();
  const operates = isOperators(location);
  const tab = (path: string) => {
    const screen = [...SCREENS, ...OPERATOR_SCREENS].find((one) => one.path === path);
    if (screen?.icon === undefined) return null;
    return (
      <Link href={path} aria-current={isAt(location, path) ? "page" : undefined}>
        <Icon name={screen.icon} size={20} />
        {t(screen.text)}
        {screen.Count && <screen.Count />}
      </Link>
    );
  };
  return (
    <nav className="tabs-phone" aria-label={t("shell.tabs")}>
      {tab(operates ? "/operator" : "/")}
      {tab(operates ? "/operator/cases" : "/charges")}
      <button type="button" onClick={openSearch}>
        <Icon name="search" size={20} />
        {t("search.short")}
      </button>
      {tab(operates ? "/operator/withdrawals" : "/withdrawals")}
      <PersonMenu tab />
    </nav>
  );
}
