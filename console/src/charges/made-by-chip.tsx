import type { Pixgate } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ChoiceChip, useAddress } from "../parts/filters.tsx";
import { useSession } from "../session/session.tsx";

/** Projects among which one is looked for by its id. */
const MOST_PROJECTS = 1_000;

/** The id that the address names; undefined for another text. */
export const idNamed = (text: string | null): string | undefined =>
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text ?? "") ? text! : undefined;

/** The payment link, the code that stays or the project whose payments are listed. Its own panel leads here; pressed, all are listed again. */
export function MadeByChip() {
  const address = useAddress();
  const [link, code, project] = ["link", "code", "project"].map((name) => idNamed(address.get(name)));
  return (
    <>
      {link && <Chip name="link" id={link} />}
      {code && <Chip name="code" id={code} />}
      {project && <Chip name="project" id={project} />}
    </>
  );
}

type Made = { readonly name: string } | undefined;

/** Its name in the texts, and how it is read: a project only among all of them. */
const KINDS = {
  link: {
    label: "paymentLinks.one",
    read: (pixgate: Pixgate, id: string): Promise<Made> => pixgate.paymentLinks.get(id),
  },
  code: { label: "qrCodes.one", read: (pixgate: Pixgate, id: string): Promise<Made> => pixgate.qrCodes.get(id) },
  project: {
    label: "projects.one",
    read: async (pixgate: Pixgate, id: string): Promise<Made> =>
      (await pixgate.projects.list().toArray({ limit: MOST_PROJECTS })).find((one) => one.id === id),
  },
} as const;

function Chip({ name, id }: { name: keyof typeof KINDS; id: string }) {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const { data } = useQuery({
    queryKey: [...scope, "made-by", name, id],
    queryFn: async () => (await KINDS[name].read(pixgate, id)) ?? null,
  });
  const label = t(KINDS[name].label);
  return <ChoiceChip name={name} label={label} choices={[{ value: id, text: data?.name ?? "…" }]} />;
}
