import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";

/** Which field of an event names what it is about, and the screen that shows that. */
const SUBJECTS = [
  ["refundTransactionId", "refund", (id: string) => `/refunds?open=${id}`],
  ["withdrawalId", "withdrawal", (id: string) => `/withdrawals?open=${id}`],
  ["blockId", "block", (id: string) => `/blocks/${id}`],
  ["transactionId", "charge", (id: string) => `/charges/${id}`],
] as const;

/** The way to what an event is about; none from a test, which is about nothing, or a kind that no screen shows. */
export function EventSubject({ event: { event, eventId, data } }: { event: merchant.Event }) {
  const { t } = useTranslation();
  const found = SUBJECTS.find(([field]) => typeof data[field] === "string");
  if (found === undefined || eventId.startsWith("test_")) return null;
  const [field, kind, screenOf] = found;
  // A Pix that goes back to its payer may belong to no charge.
  if (kind === "charge" && !event.startsWith("payment_")) return null;
  return (
    <div>
      <Link href={screenOf(String(data[field]))} className="act small">
        {t(`events.open.${kind}`)}
      </Link>
    </div>
  );
}
