import "@mantine/spotlight/styles.css";
import { Spotlight, spotlight } from "@mantine/spotlight";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { Icon } from "../parts/icon.tsx";
import { useScreens } from "./screens.ts";

export const openSearch = (): void => spotlight.open();

/** Ctrl-K or `/`: goes to a screen. */
export function Search() {
  const { t } = useTranslation();
  const [, go] = useLocation();
  const screens = useScreens();
  return (
    <Spotlight
      shortcut={["mod + K", "/"]}
      nothingFound={t("search.nothing")}
      transitionProps={{ duration: 120 }}
      searchProps={{ placeholder: t("search.placeholder"), "aria-label": t("search.placeholder") }}
      actions={screens.map(({ path, text, icon }) => ({
        id: path,
        label: t(text),
        leftSection: icon && <Icon name={icon} />,
        onClick: () => go(path),
      }))}
    />
  );
}
