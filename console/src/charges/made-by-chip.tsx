import type { Pixgate } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ChoiceChip, useAddress } from "../parts/filters.tsx";
import { useSession } from "../session/session.tsx";

/** The id that the address names; undefined for another text. */
export const idNamed = (text: string | null): string | undefined =>
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text ?? "") ? text! : undefined;

/** The payment link, code that stays or project whose charges are listed. Its own panel leads here; pressed, all are listed again. */
export function MadeByChip() {
  const address = useAddress();
  return MAKERS.map((name) => {
    const id = idNamed(address.get(name));
    return id && <Chip key={name} name={name} id={id} />;
  });
}

const MAKERS = ["link", "code", "project"] as const;
type Maker = (typeof MAKERS)[number];

const LABELS = { link: "paymentLinks.one", code: "qrCodes.one", project: "projects.one" } as const;

type Made = { readonly name: string };

async function readMaker(pixgate: Pixgate, name: Maker, id: string): Promise<Made | null> {
  if (name === "link") return pixgate.paymentLinks.get(id);
  if (name === "code") return pixgate.qrCodes.get(id);
  const { items } = await pixgate.projects.list({ limit: 50 }).page();
  return items.find((project) => project.id === id) ?? null;
}

/** What the address names; undefined where it names none, or while it is not read. */
export function useMade(name: Maker, id: string | undefined): Made | null | undefined {
  const { pixgate, scope } = useSession();
  const { data } = useQuery({
    queryKey: [...scope, "made-by", name, id],
    queryFn: () => readMaker(pixgate, name, id ?? ""),
    enabled: id !== undefined,
  });
  return data;
}

function Chip({ name, id }: { name: Maker; id: string }) {
  const { t } = useTranslation();
  const data = useMade(name, id);
  return <ChoiceChip name={name} label={t(LABELS[name])} choices={[{ value: id, text: data?.name ?? "…" }]} />;
}
