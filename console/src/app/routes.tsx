import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { OPERATOR_SCREENS } from "../operator/screens.ts";
import { Boundary } from "../parts/boundary.tsx";
import { Empty, Loading } from "../parts/feedback.tsx";
import { Page } from "../parts/page.tsx";
import { useSession } from "../session/session.tsx";
import { usePlace } from "./place.ts";
import { SCREENS } from "./screens.ts";

const LOADED = [...SCREENS, ...OPERATOR_SCREENS].map(({ path, load }) => ({ path, Screen: lazy(load) }));

/** Screens that need an account. */
const OF_ACCOUNTS = SCREENS.filter(({ path }) => path !== "/settings");

export function Routes() {
  const { session, isSeen } = useSession();
  const { t } = useTranslation();
  const [path] = useLocation();
  usePlace();
  const nowhere = session.accounts.length === 0 && !isSeen;
  return (
    <Boundary of={path} isScreen>
      <Suspense fallback={<Opening />}>
        <Switch>
          {nowhere &&
            OF_ACCOUNTS.map(({ path }) => (
              <Route key={path} path={path}>
                {session.installationRole === null ? (
                  <Page title={t("nav.home")}>
                    <Empty>{t("shell.noAccount")}</Empty>
                  </Page>
                ) : (
                  <Redirect to="/operator" replace />
                )}
              </Route>
            ))}
          {LOADED.map(({ path, Screen }) => (
            <Route key={path} path={path}>
              <Screen />
            </Route>
          ))}
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </Suspense>
    </Boundary>
  );
}

/** A screen whose code is still to come: its name, which is known. */
function Opening() {
  const { t } = useTranslation();
  const [path] = useLocation();
  const screen = [...SCREENS, ...OPERATOR_SCREENS].find((one) => one.path === path && one.icon !== undefined);
  return (
    <>
      {screen && <div className="page-head headline">{t(screen.text)}</div>}
      <Loading lines={8} areRows />
    </>
  );
}

function NotFound() {
  const { t } = useTranslation();
  return (
    <Page title={t("notFound.title")}>
      <Empty>{t("notFound.text")}</Empty>
    </Page>
  );
}
