import { Button } from "@mantine/core";
import { useAddress } from "../parts/filters.tsx";
import { Icon } from "../parts/icon.tsx";

/** What a button changes of the address; null: there is nothing further. */
type Step = { readonly label: string; readonly to: Readonly<Record<string, string | null>> | null };

/** A day or a month, between the buttons to the one before and the one after it. */
export function Stepper({ name, before, after }: { name: string; before: Step; after: Step }) {
  const address = useAddress();
  const button = ({ label, to }: Step, icon: "left" | "right") => (
    <Button
      variant="default"
      className="stepper-move"
      aria-label={label}
      disabled={to === null}
      onClick={() => address.change(to ?? {})}
    >
      <Icon name={icon} />
    </Button>
  );
  return (
    <div className="stepper">
      {button(before, "left")}
      <strong>{name}</strong>
      {button(after, "right")}
    </div>
  );
}
