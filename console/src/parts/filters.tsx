import { Menu } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link, useLocation, useSearchParams } from "wouter";
import { Icon } from "./icon.tsx";

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

/** States as tabs; the first one is everything. */
export function StateTabs({
  name,
  label,
  tabs,
}: {
  name: string;
  label: string;
  tabs: readonly { readonly value: string | null; readonly text: string; readonly count?: number }[];
}) {
  const address = useAddress();
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ value, text, count }) => (
        <Link
          key={value ?? ""}
          href={address.withChange({ [name]: value })}
          aria-current={address.get(name) === value ? "true" : undefined}
        >
          {text} {count !== undefined && <span className="quiet num">{count}</span>}
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
