import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type Filter, TypedChip, useAddress } from "../../parts/filters.tsx";

/** What the API takes as a part of a name, characters. */
const MOST = 100;

/** A filter by a part of an account's names, or of its document. */
export function useSearch(): Filter {
  const { get } = useAddress();
  const chosen = get("search")?.trim().slice(0, MOST) ?? "";
  return { value: chosen === "" ? undefined : chosen, control: <SearchChip chosen={chosen === "" ? null : chosen} /> };
}

function SearchChip({ chosen }: { chosen: string | null }) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  return (
    <TypedChip
      label={t("operator.accounts.search")}
      names={["search"]}
      chosen={chosen}
      read={() => (text.trim() === "" ? null : { search: text.trim() })}
      missing={t("operator.accounts.searchMissing")}
    >
      <TextInput
        label={t("operator.accounts.searchText")}
        autoComplete="off"
        maxLength={MOST}
        data-autofocus
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
    </TypedChip>
  );
}
