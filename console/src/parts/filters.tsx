import { Menu } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link, useLocation, useSearchParams } from "wouter";
import { Icon } from "./icon.tsx";
import { PERIODS } from "./instant.ts";

/** Filters live in the address: what is read from it, and the address with a change. */
export function useAddress() {
  const [path, go] = useLocation();
  const [search] = useSearchParams();
  const withChange = (change: Readonly<Record<string, string | null>>): string => {
    const next = new URLSearchParams(search);
    for (const [name, value] of Object.entries(change)) {
      if (value === null || value === "") next.delete(name);
      else next.set(name, value);
    }
    return next.size > 0 ? `${path}?${next}` : path;
  };
  return {
    get: (name: string): string | null => search.get(name),
    withChange,
    change: (change: Readonly<Record<string, string | null>>) => go(withChange(change), { replace: true }),
  };
}

/** States as tabs. The first tab stands for an address without a state. */
export function StateTabs<State extends string>({
  name = "state",
  label,
  first,
  states,
  textOf,
}: {
  name?: string;
  label: string;
  first: string;
  states: readonly State[];
  textOf: (state: State) => string;
}) {
  const address = useAddress();
  const tabs = [{ value: null, text: first }, ...states.map((value) => ({ value, text: textOf(value) }))];
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ value, text }) => (
        <Link
          key={value ?? ""}
          href={address.withChange({ [name]: value })}
          aria-current={address.get(name) === value ? "true" : undefined}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}

/** A filter with a few values: dashed until one is chosen. */
export function ChoiceChip({
  name,
  label,
  choices,
}: {
  name: string;
  label: string;
  choices: readonly { readonly value: string; readonly text: string }[];
}) {
  const { t } = useTranslation();
  const address = useAddress();
  const chosen = choices.find(({ value }) => value === address.get(name));
  if (chosen) {
    return (
      <button
        type="button"
        className="chip"
        onClick={() => address.change({ [name]: null })}
        aria-label={t("filters.remove", { filter: `${label} ${chosen.text}` })}
      >
        {label} <strong>{chosen.text}</strong> <Icon name="close" size={12} />
      </button>
    );
  }
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <button type="button" className="chip add">
          <Icon name="plus" size={12} /> {label}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {choices.map(({ value, text }) => (
          <Menu.Item key={value} onClick={() => address.change({ [name]: value })}>
            {text}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** A filter by the period in which something happened; `periodStart` reads it. */
export function PeriodChip({ name, label }: { name: string; label: string }) {
  const { t } = useTranslation();
  return (
    <ChoiceChip name={name} label={label} choices={PERIODS.map((value) => ({ value, text: t(`charges.${value}`) }))} />
  );
}
