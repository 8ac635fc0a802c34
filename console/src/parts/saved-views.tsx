import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation, useSearchParams } from "wouter";
import { useSession } from "../session/session.tsx";
import { TypedForm } from "./filters.tsx";
import { VIEWS } from "./forget-views.ts";
import { Icon } from "./icon.tsx";

/** Most views of a list, and most letters of a name: they stand in one row above the list. */
const MOST = 8;
const LONGEST = 40;
/** What the address has beside the filters: an open panel is no part of a view. */
const NO_FILTERS = ["open", "new", "edit", "cursor"];
/** Filters that name a person: a name or document that is looked for, or an operator's address, does not stay in the browser. */
const PERSONAL = ["payer", "actor", "search"];

/** A list with its filters, under a name. */
type View = { readonly name: string; readonly search: string };

const filtersOf = (search: URLSearchParams): string => {
  const left = [...NO_FILTERS, ...PERSONAL];
  const filters = new URLSearchParams([...search].filter(([name]) => !left.includes(name)));
  filters.sort();
  return filters.toString();
};

const isView = (value: unknown): value is View =>
  typeof value === "object" && value !== null && "name" in value && "search" in value;

function read(key: string): readonly View[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isView).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

/** The browser may refuse to store: then a view lasts as long as the screen. */
function write(key: string, views: readonly View[]): void {
  try {
    if (views.length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(views));
  } catch {
    // Full, or switched off.
  }
}

/**
 * The views of a list that this person has kept in this browser, for this account, until the next sign-out; the one that is
 * shown can be kept or removed.
 */
export function SavedViews() {
  const { t } = useTranslation();
  const { session, account } = useSession();
  const [path] = useLocation();
  const [search] = useSearchParams();
  const key = `${VIEWS}${session.person.id} ${account.accountId} ${path}`;
  const [kept, setKept] = useState({ key, views: read(key) });
  const views = kept.key === key ? kept.views : read(key);
  const shown = filtersOf(search);
  const namesPerson = PERSONAL.some((name) => search.has(name));
  const keep = (next: readonly View[]) => {
    write(key, next);
    setKept({ key, views: next });
  };
  const isKept = views.some((one) => one.search === shown);
  return (
    <>
      {views.map((view) =>
        view.search === shown && !namesPerson ? (
          <button
            key={view.name}
            type="button"
            className="chip"
            aria-label={t("views.remove", { name: view.name })}
            onClick={() => keep(views.filter((one) => one !== view))}
          >
            <strong className="cut">{view.name}</strong> <Icon name="close" size={12} />
          </button>
        ) : (
          <Link key={view.name} className="chip" href={`${path}?${view.search}`}>
            <span className="cut">{view.name}</span>
          </Link>
        ),
      )}
      {shown !== "" && !isKept && views.length < MOST && (
        <KeepView
          leavesOut={namesPerson}
          onKeep={(name) => keep([...views.filter((one) => one.name !== name), { name, search: shown }])}
        />
      )}
    </>
  );
}

function KeepView({ leavesOut, onKeep }: { leavesOut: boolean; onKeep: (name: string) => void }) {
  const { t } = useTranslation();
  const [name, setName] = useState("");
  const apply = () => {
    const given = name.trim();
    if (given === "") return false;
    onKeep(given);
    return true;
  };
  return (
    <TypedForm label={t("views.keep")} apply={apply} missing={t("views.missing")}>
      <TextInput
        label={t("views.name")}
        description={leavesOut ? t("views.leftOut") : undefined}
        maxLength={LONGEST}
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
    </TypedForm>
  );
}
