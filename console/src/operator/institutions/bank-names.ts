import type { operator } from "@pixgate/sdk";
import { useBanks } from "../reads.ts";
import { useBankName } from "./bank-name.ts";

type Institution = Pick<operator.OperatorInstitution, "provider" | "config">;

/** Gives the name of an institution's bank: of the one that its profile names, else of its provider. */
export function useBankNames(): (one: Institution) => string {
  const banks = useBanks();
  const nameOf = useBankName();
  return ({ provider, config }) => {
    const bank = banks.data?.find(({ id }) => id === provider);
    const profile = String(config.profile ?? "").replace(/-sandbox$/, "");
    return bank?.profiles.find((one) => one.profile === profile)?.name ?? nameOf(provider);
  };
}
