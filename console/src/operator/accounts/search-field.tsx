import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Filter, useAddress } from "../../parts/filters.tsx";
import { Icon } from "../../parts/icon.tsx";

/** Characters of a search that the API accepts. */
const MAX_SEARCH = 100;
/** After the last key, ms. */
const PAUSE_MS = 300;

/** The search that the address names, as the API accepts it. */
const searchNamed = (text: string | null): string | null => text?.trim().slice(0, MAX_SEARCH) || null;

/** A field for a part of an account's names, or of its document: the list follows what is typed. */
export function useSearch(): Filter {
  const { get } = useAddress();
  return { value: searchNamed(get("search")) ?? undefined, control: <SearchField /> };
}

function SearchField() {
  const { t } = useTranslation();
  const address = useAddress();
  const named = address.get("search") ?? "";
  const [text, setText] = useState(named);
  // What the field has put into the address, or read from it.
  const known = useRef(named);
  const search = useDebouncedCallback((typed: string) => {
    known.current = searchNamed(typed) ?? "";
    address.change({ search: known.current });
  }, PAUSE_MS);
  // Back, or a link to another search, changes the address alone.
  useEffect(() => {
    if (named === known.current) return;
    known.current = named;
    setText(named);
  }, [named]);
  return (
    <TextInput
      type="search"
      className="search-field"
      aria-label={t("operator.accounts.searchText")}
      placeholder={t("operator.accounts.searchHint")}
      leftSection={<Icon name="search" size={16} />}
      autoComplete="off"
      maxLength={MAX_SEARCH}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        search(currentTarget.value);
      }}
    />
  );
}
