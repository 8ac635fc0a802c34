import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Answers } from "../../generated/answers.ts";
import { useChange } from "../../parts/change.ts";
import { Failure } from "../../parts/feedback.tsx";
import { callConsole } from "../../session/calls.ts";
import { useSession } from "../../session/session.tsx";

/** Takes a simulated bank down and brings it back, to practise a night; nothing at a real bank. */
export function Outage({ id, name }: { id: string; name: string }) {
  const { t } = useTranslation();
  const { session } = useSession();
  const path = `/institutions/${id}/outage`;
  const isSandbox = session.environment === "sandbox" && session.installationRole === "admin";
  const query = useQuery({
    queryKey: ["operator", "outage", id],
    queryFn: () => callConsole<Answers["readOutage"]>("GET", path),
    enabled: isSandbox,
  });
  const change = useChange((to: boolean) =>
    callConsole<Answers["readOutage"]>(to ? "POST" : "DELETE", path, undefined, session.csrfToken),
  );
  const down = query.data?.down ?? null;
  if (!isSandbox || down === null) return null;
  return (
    <>
      <p className="note">{t(down ? "operator.outage.downText" : "operator.outage.upText")}</p>
      {change.error && <Failure error={change.error} />}
      <div className="acts">
        <Button
          variant={down ? "filled" : "outline"}
          {...(!down && { color: "red" })}
          loading={change.isPending}
          onClick={() => change.mutate(!down)}
        >
          {t(down ? "operator.outage.end" : "operator.outage.start", { name })}
        </Button>
      </div>
    </>
  );
}
