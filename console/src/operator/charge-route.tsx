import { useQuery } from "@tanstack/react-query";
import { Read } from "../parts/feedback.tsx";
import { useSession } from "../session/session.tsx";
import { Routing } from "./routing.tsx";

/** On the page of a charge, for people of the installation: why it is at its institution. */
export default function ChargeRoute({ id }: { id: string }) {
  const { operator, account } = useSession();
  const query = useQuery({
    queryKey: ["operator", "charge-route", id],
    queryFn: () => operator.charges.route(account.accountId, id),
  });
  return (
    <Read query={query} lines={3}>
      {({ routing }) => <Routing routing={routing} />}
    </Read>
  );
}
