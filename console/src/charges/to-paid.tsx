import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { Empty } from "../parts/feedback.tsx";
import { unlessForbidden } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";
import { FirstCharge } from "./first-charge.tsx";

/** An empty list of what follows from paid charges, with the way to these, or to a first one. */
export function EmptyToPaid({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const { data: paid, isPending } = useQuery({
    queryKey: [...scope, "charges", "paid"],
    queryFn: async () => {
      const list = pixgate.transactions.list({ type: "payment", status: "completed", limit: 1 });
      return (await unlessForbidden(list.page()))?.items.length ?? null;
    },
  });
  const toPaid = (
    <Button
      component={Link}
      variant="default"
      href="/charges?state=completed"
      className={isPending ? "unseen" : undefined}
    >
      {t("refunds.leadLink")}
    </Button>
  );
  return <Empty act={paid === 0 ? <FirstCharge isMain /> : toPaid}>{children}</Empty>;
}
