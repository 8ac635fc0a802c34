import type { operator } from "@pixgate/sdk";
import { useBanks } from "../reads.ts";
import { wordOf } from "../words.ts";

type Institution = Pick<operator.OperatorInstitution, "provider" | "config">;

/** Gives the name of an institution's bank: of the one that its profile names, else of its provider. */
export function useBankNames(): (one: Institution) => string {
  const banks = useBanks();
  return ({ provider, config }) => {
    const bank = banks.data?.find(({ id }) => id === provider);
    const profile = String(config.profile ?? "").replace(/-sandbox$/, "");
    const known = bank?.profiles.find((one) => one.profile === profile) ?? bank;
    return known?.name ?? wordOf("institutions", provider);
  };
}
