import type { operator } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { Facts } from "../../parts/facts.tsx";
import { Section } from "../../parts/page.tsx";
import { useBanks } from "../reads.ts";

type Institution = operator.OperatorInstitution;
type Known = Pick<operator.Bank, "name">;

/** The bank of an institution: the one that its profile names, else that of its provider; undefined while it is read. */
export function useBankOf({ provider, config }: Institution): Known | undefined {
  const banks = useBanks();
  const bank = banks.data?.find(({ id }) => id === provider);
  const profile = String(config.profile ?? "").replace(/-sandbox$/, "");
  return bank?.profiles.find((known) => known.profile === profile) ?? bank;
}

/** What the gateway can do at an institution: nobody should find out by a refused payout. */
export function Abilities({ one }: { one: Institution }) {
  const { t } = useTranslation();
  const { capabilities, unverified = [] } = one;
  if (capabilities === undefined) return null;
  const { charges, payouts, returns, balance, infractions, payers, receivedList, staticCodes, tills } = capabilities;
  const { perMinute, defence } = capabilities;
  const receives = charges.length > 0;
  const yesOrNo = (can: boolean) => t(can ? "operator.can.yes" : "operator.can.no");
  return (
    <Section title={t("operator.can.title")}>
      <Facts
        facts={[
          [t("operator.can.charges"), yesOrNo(receives)],
          [t("operator.can.payouts"), yesOrNo(payouts !== null)],
          [t("operator.can.holder"), payouts && yesOrNo(payouts.holderChecked)],
          [
            t("operator.can.returns"),
            receives ? t(returns === "parts" ? "operator.can.returnsParts" : "operator.can.returnsWhole") : null,
          ],
          [t("operator.can.balance"), yesOrNo(balance)],
          [t("operator.can.infractions"), yesOrNo(infractions)],
          [t("operator.can.defence"), defence && t(`operator.can.defenceBy.${defence.evidence}`)],
          [t("operator.can.perMinute"), perMinute?.charges],
          [t("operator.can.dueDates"), yesOrNo(charges.includes("due"))],
          [t("operator.can.dueEdits"), yesOrNo(capabilities.dueEdits)],
          [t("operator.can.staticCodes"), yesOrNo(staticCodes)],
          [t("operator.can.tills"), yesOrNo(tills)],
          [t("operator.can.automatic"), yesOrNo(capabilities.automatic)],
          [
            t("operator.can.payers"),
            receives ? t(payers === "never" ? "operator.can.no" : "operator.can.payersNamed") : null,
          ],
          [
            t("operator.can.plain"),
            receives ? t(receivedList === "all" ? "operator.can.plainListed" : "operator.can.plainNotified") : null,
          ],
        ]}
      />
      {unverified.length > 0 && (
        <>
          <p className="small quiet pad-top">{t("operator.can.unverified")}</p>
          <ul className="small quiet">
            {unverified.map((one) => (
              <li key={one} lang="en">
                {one}
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}
