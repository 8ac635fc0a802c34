import type { operator } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { Section } from "../../parts/page.tsx";
import { State } from "../../parts/state.tsx";

type Institution = operator.OperatorInstitution;
/** What it is about, and whether it can be done. */
type Ability = readonly [name: string, can: boolean];

/** What the gateway can do at an institution: nobody should find out by a refused payout. */
export function Abilities({ one }: { one: Institution }) {
  const { t } = useTranslation();
  const { capabilities, unverified = [] } = one;
  if (capabilities === undefined) return null;
  const { charges, payouts, returns, balance, infractions, payers, receivedList, staticCodes, tills } = capabilities;
  const { perMinute, defence } = capabilities;
  const receives = charges.length > 0;
  const named = (key: string, can: boolean, how?: string): Ability => [
    t(`operator.can.${key}`) + (how === undefined ? "" : `: ${how}`),
    can,
  ];
  const abilities = [
    named("charges", receives),
    named("payouts", payouts !== null),
    ...(payouts === null ? [] : [named("holder", payouts.holderChecked)]),
    ...(receives
      ? [named("returns", true, t(`operator.can.${returns === "parts" ? "returnsParts" : "returnsWhole"}`))]
      : []),
    named("balance", balance),
    named("infractions", infractions),
    ...(defence ? [named("defence", true, t(`operator.can.defenceBy.${defence.evidence}`))] : []),
    named("dueDates", charges.includes("due")),
    named("dueEdits", capabilities.dueEdits),
    named("staticCodes", staticCodes),
    named("tills", tills),
    named("automatic", capabilities.automatic),
    ...(receives ? [named("payers", payers !== "never")] : []),
    ...(receives
      ? [named("plain", true, t(`operator.can.${receivedList === "all" ? "plainListed" : "plainNotified"}`))]
      : []),
  ];
  return (
    <Section title={t("operator.can.title")}>
      <Able title={t("operator.can.does")} abilities={abilities.filter(([, can]) => can)} />
      <Able title={t("operator.can.doesNot")} abilities={abilities.filter(([, can]) => !can)} />
      {perMinute?.charges !== undefined && (
        <p className="small second">{t("operator.can.perMinute", { count: perMinute.charges })}</p>
      )}
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

/** What it does, or what it does not, under a heading that says which; nothing where there is none of it. */
function Able({ title, abilities }: { title: string; abilities: readonly Ability[] }) {
  if (abilities.length === 0) return null;
  return (
    <>
      <h3 className="small quiet pad-top">{title}</h3>
      <ul className="abilities">
        {abilities.map(([name, can]) => (
          <li key={name}>
            <State shape={can ? "done" : "ended"}>{name}</State>
          </li>
        ))}
      </ul>
    </>
  );
}
