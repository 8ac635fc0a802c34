import { Button } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { useChange } from "../parts/change.ts";
import { Failure } from "../parts/feedback.tsx";
import { Section } from "../parts/page.tsx";
import { useSession } from "../session/session.tsx";

/** A long text goes on in a second line. */
const WHOLE_TEXT = {
  root: { height: "auto", paddingBlock: 8 },
  label: { whiteSpace: "normal", lineHeight: 1.3 },
} as const;

/** Only in the sandbox: the person decides in the bank's place how the case ends. */
export function SandboxBank({ block }: { block: merchant.BalanceBlock }) {
  const { t } = useTranslation();
  const { pixgate, may } = useSession();
  const end = useChange((outcome: "approved" | "rejected") => pixgate.sandbox.resolveContest(block.id, { outcome }));
  const isOfBank = block.blockType === "med" || block.blockType === "precautionary";
  if (!isOfBank || !may("BALANCE_BLOCK:WRITE")) return null;
  return (
    <Section title={t("blocks.bank")}>
      <div className="stack pad-both">
        <p className="small quiet">{t("blocks.bankText")}</p>
        <Button
          variant="default"
          fullWidth
          styles={WHOLE_TEXT}
          loading={end.isPending}
          onClick={() => end.mutate("rejected")}
        >
          {t("blocks.bankRejects")}
        </Button>
        <Button
          variant="default"
          fullWidth
          styles={WHOLE_TEXT}
          loading={end.isPending}
          onClick={() => end.mutate("approved")}
        >
          {t("blocks.bankApproves")}
        </Button>
        {end.error && <Failure error={end.error} />}
      </div>
    </Section>
  );
}
