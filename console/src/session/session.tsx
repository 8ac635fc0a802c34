import { Pixgate, PixgateOperator } from "@pixgate/sdk";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import type { Session } from "./calls.ts";
import { gatherReads } from "./gather.ts";
import { sendNoted } from "./presence.ts";

/** Which account, and which wallet of it, this browser showed last. Neither is a secret. */
const REMEMBERED = "pixgate.account";
/** The account of somebody else that this tab shows: its id and name. */
const SEEN = "pixgate.seen";

/** Everything that a screen needs to know about who uses it. */
export type SignedIn = {
  readonly session: Session;
  readonly account: { readonly accountId: string; readonly name: string };
  /** Reference of the wallet; null is the main one. */
  readonly wallet: string | null;
  readonly pixgate: Pixgate;
  /** The same for what a screen reads at one moment, in one request: only reads that a round has (`/console/api/round`). */
  readonly together: Pixgate;
  readonly operator: PixgateOperator;
  /** Whether the person may do something with this account, such as `CASHOUT:WRITE`. */
  may(permission: string): boolean;
  choose(accountId: string, wallet: string | null): void;
  /** Whether the account is somebody else's, which a person of the installation reads; its audit log says so. */
  readonly isSeen: boolean;
  /** Shows any account, to read; null goes back to the own ones. */
  see(account: { readonly accountId: string; readonly name: string } | null, wallet?: string | null): void;
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

type Choice = {
  readonly accountId: string;
  readonly wallet: string | null;
  /** Name of an account that is seen, and is none of the person's own. */
  readonly seenName?: string;
};

function rememberedChoice(session: Session): Choice {
  const [seenId, seenName] = (sessionStorage.getItem(SEEN) ?? "").split("\n");
  if (seenId && seenName !== undefined && session.installationRole !== null) {
    return { accountId: seenId, wallet: null, seenName };
  }
  return ownChoice(session);
}

function ownChoice(session: Session): Choice {
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
  const [{ accountId, wallet, seenName }, setChoice] = useState(() => rememberedChoice(session));
  const signedIn = useMemo((): SignedIn => {
    const baseUrl = window.location.origin;
    const { csrfToken } = session;
    const ofWallet = (send: typeof fetch): Pixgate => {
      const whole = new Pixgate({ baseUrl, session: { accountId, csrfToken }, fetch: send });
      return wallet === null ? whole : whole.subAccount(wallet);
    };
    const permissions = session.permissions[accountId] ?? [];
    const isSeen = seenName !== undefined;
    return {
      session,
      account: session.accounts.find((one) => one.accountId === accountId) ?? { accountId, name: seenName ?? "" },
      wallet,
      pixgate: ofWallet(sendNoted),
      together: ofWallet(gatherReads(sendNoted)),
      operator: new PixgateOperator({ baseUrl, session: { csrfToken }, fetch: sendNoted }),
      // As the account's viewers.
      may: (permission) => (isSeen ? permission.endsWith(":READ") : permissions.includes(permission)),
      isSeen,
      see(other, otherWallet = null) {
        const own = other === null || session.accounts.some((one) => one.accountId === other.accountId);
        if (own) sessionStorage.removeItem(SEEN);
        else sessionStorage.setItem(SEEN, `${other.accountId}\n${other.name}`);
        if (other === null) setChoice(ownChoice(session));
        else setChoice({ accountId: other.accountId, wallet: otherWallet, ...(!own && { seenName: other.name }) });
      },
      choose(chosen, chosenWallet) {
        if (isSeen && chosen === accountId) return setChoice({ accountId, wallet: chosenWallet, seenName });
        sessionStorage.removeItem(SEEN);
        localStorage.setItem(REMEMBERED, `${chosen}\n${chosenWallet ?? ""}`);
        setChoice({ accountId: chosen, wallet: chosenWallet });
      },
      replace: onSession,
      scope: [accountId, wallet ?? ""],
    };
  }, [session, onSession, accountId, wallet, seenName]);
  return <SignedInContext value={signedIn}>{children}</SignedInContext>;
}
