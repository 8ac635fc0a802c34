import { OPERATOR_SCREENS } from "../operator/screens.ts";
import type { Screen } from "../parts/screen.ts";
import { useSession } from "../session/session.tsx";

/** A merchant's screens, in the order of the navigation. Each is loaded when it is opened. */
export const SCREENS: readonly Screen[] = [
  { path: "/", text: "nav.home", icon: "home", group: "money", load: () => import("../home/home.tsx") },
  {
    path: "/charges",
    text: "nav.charges",
    icon: "charges",
    group: "money",
    load: () => import("../charges/charges.tsx"),
  },
  { path: "/charges/:id", text: "nav.charges", load: () => import("../charges/charge.tsx") },
];

/** The screens that this person's navigation shows. */
export function useScreens(): readonly Screen[] {
  const { session } = useSession();
  const all = session.installationRole === null ? SCREENS : [...SCREENS, ...OPERATOR_SCREENS];
  return all.filter(({ icon }) => icon !== undefined);
}
