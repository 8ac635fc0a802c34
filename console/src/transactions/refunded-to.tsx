import type { merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { FreeText } from "../parts/free-text.tsx";
import { unlessForbidden } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";

/** The newest refunds are read at once: the rows of older ones name nobody. */
const NEWEST = 100;

/** To whom a refund went, whom its transaction does not name; `otherwise` where that is not known. */
export function RefundedTo(props: { of: Pick<merchant.Transaction, "id">; before?: string; otherwise?: string }) {
  const { of, before = "", otherwise = null } = props;
  const { pixgate, scope } = useSession();
  const { data } = useQuery({
    queryKey: [...scope, "refunds", "newest"],
    queryFn: () => unlessForbidden(pixgate.refunds.listAll({ limit: NEWEST }).page()),
  });
  const name = data?.items.find(({ refundTransactionId }) => refundTransactionId === of.id)?.counterpartName;
  if (name === undefined) return otherwise;
  return (
    <>
      {before}
      <FreeText>{name}</FreeText>
    </>
  );
}
