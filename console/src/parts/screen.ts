import type { ComponentType } from "react";
import { type TextPart, withTexts } from "../texts/language.ts";
import type { IconName } from "./icon.tsx";

/** Whether an address is one of the operator's screens. */
export const isOperators = (path: string): boolean => path === "/operator" || path.startsWith("/operator/");

/** A screen: its address below `/console`, and where the navigation shows it. */
export type Screen = {
  readonly path: string;
  /** Key of its name in the texts. */
  readonly text: string;
  readonly load: () => Promise<{ readonly default: ComponentType }>;
  /** Left out: the navigation does not show it. */
  readonly icon?: IconName;
  /** Shows beside its name how many things there wait for a person. */
  readonly Count?: ComponentType;
  readonly group?: "money" | "developers" | "account" | "operator" | "records" | "installation";
};

/**
 * Makes the rows of a table of screens, each loaded when it is opened, with these parts of the texts.
 *
 * @param names where their names are in the texts, such as `nav.`.
 */
export const screensOf =
  (names: string, ...texts: readonly TextPart[]) =>
  (group: Screen["group"], path: string, name: string, icon: IconName | null, load: Screen["load"]): Screen => ({
    ...{ path, text: `${names}${name}`, load: () => withTexts(load, ...texts) },
    ...(icon !== null && { icon, group }),
  });
