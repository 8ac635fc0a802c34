import { Menu } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ComponentProps, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { forgetViews } from "../parts/forget-views.ts";
import { Icon } from "../parts/icon.tsx";
import { useLook } from "../parts/look.ts";
import { isOperators } from "../parts/screen.ts";
import { callConsole } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";
import { useScreens } from "./screens.ts";

const initials = (name: string): string =>
  name
    .split(/\s+/)
    .filter((word) => /^\p{L}/u.test(word))
    .map((word) => word[0]?.toUpperCase())
    .slice(0, 2)
    .join("");

/** Where the person works: in an account's wallet, or in the installation. */
export function PlaceSwitcher() {
  const [location] = useLocation();
  return isOperators(location) ? <InstallationSwitcher /> : <AccountSwitcher />;
}

/** Says that the screens are of the whole installation, and leads to the accounts that the person has or sees. */
function InstallationSwitcher() {
  const { t } = useTranslation();
  const { session, account, isSeen, choose } = useSession();
  const [, go] = useLocation();
  const name = t("nav.group.operator");
  const open = (accountId: string) => {
    if (!isSeen || accountId !== account.accountId) choose(accountId, null);
    go("/");
  };
  const places = isSeen ? [account, ...session.accounts] : session.accounts;
  // A person without an account has nothing to switch.
  if (places.length === 0) return <div className="switcher">{name}</div>;
  return (
    <Menu position="bottom-start" width={240}>
      <Menu.Target>
        <Switch name={name} part={t("shell.allAccounts")} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t("shell.toAccount")}</Menu.Label>
        {places.map(({ accountId, name }) => (
          <Menu.Item key={accountId} onClick={() => open(accountId)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The button that names a place; Mantine gives it the menu's props, a class among them. */
function Switch({ name, part, ...menu }: { name: string; part: string } & ComponentProps<"button">) {
  return (
    <button {...menu} type="button" className="switcher">
      <span className="badge" aria-hidden="true">
        {initials(name)}
      </span>
      <span className="switcher-names">
        <strong className="cut">{name}</strong>
        <span className="label cut">{part}</span>
      </span>
      <span className="switcher-end">
        <Icon name="up" />
      </span>
    </button>
  );
}

/** Which account and wallet the screens show. */
function AccountSwitcher() {
  const { t } = useTranslation();
  const { session, account, isSeen, wallet, choose, pixgate, may } = useSession();
  const [isOpen, setOpen] = useState(false);
  const wallets = useQuery({
    queryKey: [account.accountId, "wallets"],
    queryFn: () => pixgate.subAccounts.list().toArray({ limit: 50 }),
    enabled: isOpen && may("SUBACCOUNT:READ"),
  });
  // A person without an account has nothing to switch.
  if (session.accounts.length === 0 && !isSeen) return <div className="switcher">{t("nav.group.operator")}</div>;
  return (
    <Menu position="bottom-start" width={240} onChange={setOpen}>
      <Menu.Target>
        <Switch name={account.name} part={wallet ?? t("shell.mainWallet")} />
      </Menu.Target>
      <Menu.Dropdown>
        {session.accounts.map(({ accountId, name }) => (
          <Menu.Item key={accountId} onClick={() => choose(accountId, null)}>
            {name}
          </Menu.Item>
        ))}
        {(wallets.data ?? []).length > 0 && <Menu.Label>{t("shell.wallets")}</Menu.Label>}
        {wallets.data?.map(({ reference, name }) => (
          <Menu.Item key={reference} onClick={() => choose(account.accountId, reference)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The person: language, colours, end of the session. As the phone's last tab also every screen. */
export function PersonMenu({ tab = false }: { tab?: boolean }) {
  const { t } = useTranslation();
  const { session } = useSession();
  const screens = useScreens();
  const [, go] = useLocation();
  return (
    <Menu position="top-start" width={240}>
      <Menu.Target>
        {tab ? (
          <button type="button">
            <Icon name="more" size={20} />
            {t("shell.more")}
          </button>
        ) : (
          <button type="button" className="person">
            <span className="badge round" aria-hidden="true">
              {initials(session.person.name)}
            </span>
            <span className="cut">{session.person.name}</span>
          </button>
        )}
      </Menu.Target>
      <Menu.Dropdown className="person-menu">
        {tab &&
          screens.map(({ path, text, Count }) => (
            <Menu.Item key={path} onClick={() => go(path)} rightSection={Count && <Count />}>
              {t(text)}
            </Menu.Item>
          ))}
        {tab && <Menu.Divider />}
        <Preferences />
      </Menu.Dropdown>
    </Menu>
  );
}

/** Where the reference of the merchants' API is; on the operator's screens, of the operators'. */
export function useReference(): string {
  const [location] = useLocation();
  return isOperators(location) ? "/docs?api=operator" : "/docs";
}

function Preferences() {
  const { t } = useTranslation();
  const { session } = useSession();
  const reference = useReference();
  const look = useLook();
  const signOut = async () => {
    forgetViews();
    await callConsole("DELETE", "/session", undefined, session.csrfToken);
    window.location.assign("/console/");
  };
  return (
    <>
      <Menu.Item onClick={look.changeLanguage}>{look.otherLanguage}</Menu.Item>
      <Menu.Item onClick={look.changeColours}>{look.otherColours}</Menu.Item>
      <Menu.Item component="a" href={reference} target="_blank" rel="noreferrer">
        {t("nav.reference")}
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item onClick={() => void signOut()}>{t("shell.signOut")}</Menu.Item>
    </>
  );
}
