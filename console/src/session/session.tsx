import { Pixgate, PixgateOperator } from "@pixgate/sdk";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import type { Session } from "./calls.ts";

/** Which account, and which wallet of it, this browser showed last. Neither is a secret. */
const REMEMBERED = "pixgate.account";

/** Everything that a screen needs to know about who uses it. */
type SignedIn = {
  readonly session: Session;
  readonly account: { readonly accountId: string; readonly name: string };
  /** Reference of the wallet; null is the main one. */
  readonly wallet: string | null;
  readonly pixgate: Pixgate;
  readonly operator: PixgateOperator;
  /** Whether the person may do something with this account, such as `CASHOUT:WRITE`. */
  may(permission: string): boolean;
  choose(accountId: string, wallet: string | null): void;
  /** Goes on with another session of the same person. */
  replace(session: Session): void;
  /** Begins every key of a query: what belongs to another account or wallet is never shown for this one. */
  readonly scope: readonly [string, string];
};

const SignedInContext = createContext<SignedIn | null>(null);

export function useSession(): SignedIn {
  const found = useContext(SignedInContext);
  if (found === null) throw new Error("useSession stands below SessionProvider");
  return found;
}

type Choice = { readonly accountId: string; readonly wallet: string | null };

function rememberedChoice(session: Session): Choice {
  const [accountId = "", wallet = ""] = (localStorage.getItem(REMEMBERED) ?? "").split("\n");
  const known = session.accounts.some((one) => one.accountId === accountId);
  return known
    ? { accountId, wallet: wallet === "" ? null : wallet }
    : { accountId: session.accounts[0]?.accountId ?? "", wallet: null };
}

export function SessionProvider(props: {
  session: Session;
  onSession: (session: Session) => void;
  children: ReactNode;
}) {
  const { session, onSession, children } = props;
  const [{ accountId, wallet }, setChoice] = useState(() => rememberedChoice(session));
  const signedIn = useMemo((): SignedIn => {
    const baseUrl = window.location.origin;
    const { csrfToken } = session;
    const whole = new Pixgate({ baseUrl, session: { accountId, csrfToken } });
    const permissions = session.permissions[accountId] ?? [];
    return {
      session,
      account: session.accounts.find((one) => one.accountId === accountId) ?? { accountId, name: "" },
      wallet,
      pixgate: wallet === null ? whole : whole.subAccount(wallet),
      operator: new PixgateOperator({ baseUrl, session: { csrfToken } }),
      may: (permission) => permissions.includes(permission),
      choose(chosen, chosenWallet) {
        localStorage.setItem(REMEMBERED, `${chosen}\n${chosenWallet ?? ""}`);
        setChoice({ accountId: chosen, wallet: chosenWallet });
      },
      replace: onSession,
      scope: [accountId, wallet ?? ""],
    };
  }, [session, onSession, accountId, wallet]);
  return <SignedInContext value={signedIn}>{children}</SignedInContext>;
}
