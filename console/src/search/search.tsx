import "../parts/over.ts";
import "@mantine/spotlight/styles.css";
import "./search.css";
import { useDebouncedValue } from "@mantine/hooks";
import { Spotlight, spotlight } from "@mantine/spotlight";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useScreens } from "../app/screens.ts";
import { useAccounts } from "../operator/reads.ts";
import { showBrl } from "../parts/amount.ts";
import { bareText } from "../parts/bare-text.ts";
import { Icon } from "../parts/icon.tsx";
import { isOperators, type Screen } from "../parts/screen.ts";
import { shortId } from "../parts/short-id.ts";
import { readBrl } from "../parts/typed-amount.tsx";
import { useSession } from "../session/session.tsx";
import { SearchHitLine } from "./hit.tsx";
import { GROUPS, type Hit, screenInAccount, screenOfOperator } from "./target.ts";

/** The API refuses shorter texts. */
const SHORTEST = 3;
/** Each search is in the audit log, so it waits until typing has stopped, milliseconds. */
const PAUSE_MS = 400;

/** Ctrl-K or `/`: goes to a screen, or finds a payment by whatever is known of it. */
export default function Search() {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const { everywhere, found, searching } = useFound(text.trim());
  const screens = useAllScreens().filter(({ text: key }) => matches(t(key), text));
  const [, go] = useLocation();
  const hasChosen = useFirstChosen(found?.items[0]?.id);
  const placeholder = everywhere ? t("search.everywhere") : t("search.placeholder");
  return (
    <Spotlight.Root
      shortcut={null}
      query={text}
      onQueryChange={(typed) => {
        hasChosen.current = false;
        setText(typed);
      }}
      scrollable
      overlayProps={{ backgroundOpacity: 0.4 }}
      maxHeight="min(60vh, 480px)"
      transitionProps={{ duration: 120 }}
    >
      <Spotlight.Search
        placeholder={placeholder}
        aria-label={placeholder}
        leftSection={<Icon name="search" />}
        rightSection={<CloseOnPhone />}
        rightSectionWidth={76}
        rightSectionPointerEvents="all"
        onKeyDown={({ key }) => {
          if (key === "ArrowDown" || key === "ArrowUp") hasChosen.current = true;
        }}
      />
      <Spotlight.ActionsList>
        {text.trim() === "" && <Hint onExample={setText} />}
        {text.trim() === "" && !everywhere && <Acts />}
        {found && found.readAs.length + found.items.length > 0 && <ReadAs forms={found.readAs} text={text.trim()} />}
        {found &&
          (everywhere ? (
            <FoundEverywhere hits={found.items} text={text} />
          ) : (
            <Found hits={found.items} text={text} nameOf={null} />
          ))}
        {screens.length > 0 && (
          <Spotlight.ActionsGroup label={t("search.screens")}>
            {screens.map(({ path, text: key, icon }) => (
              <Spotlight.Action
                key={path}
                label={t(key)}
                leftSection={icon && <Icon name={icon} />}
                onClick={() => go(path)}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {screens.length === 0 && found?.items.length === 0 && <Spotlight.Empty>{t("search.nothing")}</Spotlight.Empty>}
        {screens.length === 0 && found === undefined && (
          <Spotlight.Empty>{t(searching ? "search.searching" : "search.hint")}</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
      <Foot found={found} />
    </Spotlight.Root>
  );
}

/**
 * Chooses the first line once something is found, which comes after Mantine has chosen the first screen, and above it. A line that
 * the person has gone to by the arrows, which sets the answer, stays chosen, whatever comes.
 */
function useFirstChosen(first: string | undefined) {
  const hasChosen = useRef(false);
  useEffect(() => {
    if (first !== undefined && !hasChosen.current) chooseFirst();
  }, [first]);
  return hasChosen;
}

/** A phone has no key that closes it. */
function CloseOnPhone() {
  const { t } = useTranslation();
  return (
    <button type="button" className="act phone-only" onClick={spotlight.close}>
      {t("panel.close")}
    </button>
  );
}

/** The keys, and how much was found. */
function Foot({ found }: { found: ReturnType<typeof useFound>["found"] }) {
  const { t } = useTranslation();
  return (
    <Spotlight.Footer className="search-foot">
      <span className="wide-only">{t("search.keys")}</span>
      <span role="status">
        {found &&
          found.items.length > 0 &&
          t(found.more ? "search.more" : "search.count", { count: found.items.length })}
      </span>
    </Spotlight.Footer>
  );
}

/** What may be typed, with examples. */
function Hint({ onExample }: { onExample: (text: string) => void }) {
  const { t } = useTranslation();
  const examples = ["name", "amount", "amountToday"].map((example) => t(`search.example.${example}`));
  return (
    <div className="search-read">
      <span className="search-hint">{t("search.hint")}</span>
      {examples.map((example) => (
        <button key={example} type="button" className="search-example" onClick={() => onExample(example)}>
          {example}
        </button>
      ))}
    </div>
  );
}

/** Those of the navigation, and after each what it leads to that is looked for by a name of its own. */
function useAllScreens(): readonly Pick<Screen, "path" | "text" | "icon">[] {
  const { may } = useSession();
  return useScreens().flatMap((one): Pick<Screen, "path" | "text" | "icon">[] => {
    if (one.path === "/statement") return [one, { path: "/statement/closing", text: "closing.link", icon: one.icon }];
    if (one.path === "/withdrawals" && may("WITHDRAWAL:WRITE"))
      return [one, { path: "/withdrawals/file", text: "payoutFile.act", icon: one.icon }];
    return [one];
  });
}

/** What is begun from anywhere, before anything is typed. */
function Acts() {
  const { t } = useTranslation();
  const { may } = useSession();
  const [, go] = useLocation();
  const acts = [
    ...(may("PIX:WRITE") ? [["/charges?new=1", "charges.new"] as const] : []),
    ...(may("WITHDRAWAL:WRITE") ? [["/withdrawals?new=1", "withdrawals.new"] as const] : []),
  ];
  if (acts.length === 0) return null;
  return (
    <Spotlight.ActionsGroup label={t("search.acts")}>
      {acts.map(([href, text]) => (
        <Spotlight.Action key={href} label={t(text)} leftSection={<Icon name="plus" />} onClick={() => go(href)} />
      ))}
    </Spotlight.ActionsGroup>
  );
}

/** As what the text was read; every text is compared with references and names, too. */
function ReadAs({ forms, text }: { forms: readonly Hit["by"][]; text: string }) {
  const { t } = useTranslation();
  return (
    <div className="search-read">
      {t("search.readAs")}
      {forms.map((form) => (
        <span key={form} className="search-form">
          {t(`search.by.${form}`)} <b>{readValue(form, text)}</b>
        </span>
      ))}
      {forms.length === 0 && <span className="search-form">{t("search.by.reference")}</span>}
    </div>
  );
}

/** Enter opens the first line. Mantine has no call for it outside its own store: it reads this mark. */
function chooseFirst(): void {
  const [line, ...others] = document.querySelectorAll(".mantine-Spotlight-actionsList [data-action]");
  for (const other of others) other.removeAttribute("data-selected");
  line?.setAttribute("data-selected", "true");
}

/** What a form was read from: an amount as amounts are shown, everything else as it was typed. */
function readValue(form: string, text: string): string {
  const brl = form === "amount" ? readBrl(text.replace(/^R\$\s*/i, "")) : null;
  return brl === null ? text : showBrl(brl);
}

/** What the text finds: from an operator's screen in all accounts, else in the wallet that is shown. */
function useFound(text: string) {
  const { pixgate, operator, scope, session } = useSession();
  const [location] = useLocation();
  const [q] = useDebouncedValue(text, PAUSE_MS);
  const everywhere = session.installationRole !== null && isOperators(location);
  const { data, isFetching } = useQuery({
    queryKey: everywhere ? ["operator", "search", q] : [...scope, "search", q],
    queryFn: () => (everywhere ? operator.search.find({ q }) : pixgate.search.find({ q })),
    enabled: q.length >= SHORTEST,
    staleTime: 30_000,
    // An operator's search is in the audit log: what a person asked once is not asked again with each change.
    meta: { readOnce: true },
  });
  const found =
    q === text && q.length >= SHORTEST && data ? { ...data, items: withoutOwnReceipts(data.items) } : undefined;
  return { everywhere, found, searching: isFetching };
}

/** A charge's own receipt is shown on the charge's screen. */
function withoutOwnReceipts(hits: readonly Hit[]): Hit[] {
  const charges = new Set(hits.flatMap(({ kind, id }) => (kind === "charge" ? [id] : [])));
  return hits.filter(({ kind, id }) => kind !== "receipt" || !charges.has(id));
}

/** Of all accounts: whose a payment is, is what one looks for. */
function FoundEverywhere({ hits, text }: { hits: readonly Hit[]; text: string }) {
  const { session } = useSession();
  const { data = [] } = useAccounts();
  const nameOf = (accountId: string) =>
    session.accounts.find((one) => one.accountId === accountId)?.name ??
    data.find(({ id }) => id === accountId)?.name ??
    shortId(accountId);
  return <Found hits={hits} text={text} nameOf={nameOf} />;
}

/** `nameOf`: names the account of what is found in all of them; null: it is the one that is shown. */
function Found(props: { hits: readonly Hit[]; text: string; nameOf: ((accountId: string) => string) | null }) {
  const { hits, text, nameOf } = props;
  const { t } = useTranslation();
  const { session, choose } = useSession();
  const [, go] = useLocation();
  const open = (hit: Hit) => {
    const { accountId, subAccount } = hit;
    if (nameOf === null) return go(screenInAccount(hit));
    // A person of the account sees the thing itself there; of other accounts the operator's screen shows it.
    const own =
      hit.kind !== "account" &&
      hit.kind !== "withdrawal" &&
      session.accounts.some((one) => one.accountId === accountId);
    if (own) choose(accountId, subAccount ?? null);
    go(own ? screenInAccount(hit) : screenOfOperator(hit));
  };
  return GROUPS.map(({ kind, icon }) => {
    const own = hits.filter((hit) => hit.kind === kind);
    if (own.length === 0) return null;
    return (
      <Spotlight.ActionsGroup key={kind} label={t(`search.kind.${kind}`)}>
        {own.map((hit) => (
          <SearchHitLine
            key={`${hit.accountId}${hit.id}`}
            hit={hit}
            text={text}
            icon={icon}
            account={nameOf !== null && kind !== "account" ? nameOf(hit.accountId) : null}
            onOpen={() => open(hit)}
          />
        ))}
      </Spotlight.ActionsGroup>
    );
  });
}

const matches = (name: string, text: string): boolean => bareText(name).includes(bareText(text));
