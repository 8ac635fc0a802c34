import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ChoiceChip, useAddress } from "../parts/filters.tsx";
import { useSession } from "../session/session.tsx";

/** The id that the address names; undefined for another text. */
export const idNamed = (text: string | null): string | undefined =>
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text ?? "") ? text! : undefined;

/** The payment link or the code that stays whose payments are listed. Its own panel leads here; pressed, all are listed again. */
export function MadeByChip() {
  const address = useAddress();
  const [link, code] = [idNamed(address.get("link")), idNamed(address.get("code"))];
  return (
    <>
      {link && <Chip name="link" id={link} />}
      {code && <Chip name="code" id={code} />}
    </>
  );
}

function Chip({ name, id }: { name: "link" | "code"; id: string }) {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const { data } = useQuery({
    queryKey: [...scope, "made-by", name, id],
    queryFn: (): Promise<{ readonly name: string }> =>
      name === "link" ? pixgate.paymentLinks.get(id) : pixgate.qrCodes.get(id),
  });
  const label = t(name === "link" ? "paymentLinks.one" : "qrCodes.one");
  return <ChoiceChip name={name} label={label} choices={[{ value: id, text: data?.name ?? "…" }]} />;
}
