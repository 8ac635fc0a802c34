import { useLocation } from "wouter";
import { useSession } from "../session/session.tsx";

/** Opens a merchant's screen of an account, to read. */
export function InAccount(props: {
  account: { readonly accountId: string; readonly name: string; readonly subAccount?: string | null | undefined };
  path: string;
  children: string;
}) {
  const { accountId, name, subAccount } = props.account;
  const { see } = useSession();
  const [, go] = useLocation();
  return (
    <button
      type="button"
      className="act"
      onClick={() => {
        see({ accountId, name }, subAccount);
        go(props.path);
      }}
    >
      {props.children}
    </button>
  );
}
