import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { Empty } from "../parts/feedback.tsx";

/** An empty list of what follows from paid charges, with the way to these. */
export function EmptyToPaid({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <Empty
      act={
        <Button component={Link} variant="default" href="/charges?state=completed">
          {t("refunds.leadLink")}
        </Button>
      }
    >
      {children}
    </Empty>
  );
}
