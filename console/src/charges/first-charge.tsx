import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useSession } from "../session/session.tsx";

/** In an empty list: the way to what fills it, a charge, and in the sandbox traffic. `isMain`: the screen has no other main act. */
export function FirstCharge({ isMain = false }: { isMain?: boolean }) {
  const { t } = useTranslation();
  const { session, may } = useSession();
  if (!may("PIX:WRITE")) return null;
  return (
    <div className="flow">
      <Button component={Link} variant={isMain ? "filled" : "default"} href="/charges?new=1">
        {t("charges.new")}
      </Button>
      {session.environment === "sandbox" && (
        <Button component={Link} variant="default" href="/?traffic=1">
          {t("traffic.make")}
        </Button>
      )}
    </div>
  );
}
