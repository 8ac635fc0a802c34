import { TextInput } from "@mantine/core";
import { addBrl, BRAKE_SCOPES, type PixgateOperator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { showBrl } from "../../parts/amount.ts";
import { useAddress } from "../../parts/filters.tsx";
import { FormPanel } from "../../parts/form-panel.tsx";
import { NativeSelect } from "../../parts/select.ts";
import { isRefusal } from "../../session/calls.ts";
import { useSession } from "../../session/session.tsx";
import { useWaitsAlways } from "../deciding.ts";
import { useAccounts, useBrakes, useInstitutions, useNames } from "../reads.ts";

type Scope = (typeof BRAKE_SCOPES)[number];
type Target = { readonly scope: Scope; readonly id: string | null };

const SOME = ["institution", "account"] as const;

/** `all`, `account:3f…` of the address. */
export function readTarget(text: string | null): Target | null {
  const [name, id = null] = text?.split(":") ?? [];
  const scope = BRAKE_SCOPES.find((one) => one === name);
  return scope === undefined ? null : { scope, id };
}

/** Puts a brake on, or lifts it; says what stops, what goes on, and who will read the reason. */
export function BrakeForm({ target, onClose }: { target: Target; onClose: () => void }) {
  const { t } = useTranslation();
  const lift = useAddress().get("lift");
  const lifting = lift !== null;
  const { operator } = useSession();
  const nameOf = useNames();
  const isAllStopped = useBrakes().data?.some((one) => one.scope === "all") ?? false;
  const waits = useWaitsAlways() === true;
  const [scope, setScope] = useState<Scope>(target.scope);
  const [id, setId] = useState(target.id ?? "");
  const [reason, setReason] = useState("");
  const scopeWord = (one: Scope) => t(`operator.brakes.scope.${one}`);
  const named = (word: string) => `${word} ${scope === "all" ? "" : nameOf(id)}`.trim();
  return (
    <FormPanel
      title={t(lifting ? "operator.brakes.lift" : "operator.brakes.setTitle")}
      opened
      onClose={onClose}
      read={() => ({ scope, paused: !lifting, reason: reason.trim(), ...(scope !== "all" && { id }) })}
      save={(body) => (lift === null ? operator.brakes.set(body) : liftBrake(operator, { ...body, brakeId: lift }))}
      button={{
        text: t(lifting ? "operator.brakes.doLift" : "operator.brakes.doSet", {
          what: named(scopeWord(scope).toLowerCase()),
        }),
        disabled: reason.trim() === "" || (scope !== "all" && id === ""),
        ...(!lifting && { color: "red" }),
      }}
    >
      {target.id === null && !lifting && (
        <NativeSelect
          label={t("operator.brakes.what")}
          value={scope}
          onChange={({ currentTarget }) => {
            setScope(currentTarget.value as Scope);
            setId("");
          }}
          data={(isAllStopped ? SOME : (["all", ...SOME] as const)).map((value) => ({
            value,
            label: scopeWord(value),
          }))}
        />
      )}
      {target.id === null && <Which scope={scope} id={id} onChoose={setId} />}
      {target.id !== null && <p className="strong">{named(scopeWord(scope))}</p>}
      <TextInput
        label={t("operator.brakes.reason")}
        required
        maxLength={255}
        data-autofocus
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
      {!lifting && <Queued scope={scope} id={id} />}
      <div className="note">
        <p>
          {t(!lifting ? "operator.brakes.setText" : waits ? "operator.brakes.liftWaits" : "operator.brakes.liftText")}
        </p>
        {!lifting && <p className="pad-top">{t("operator.brakes.setGoesOn")}</p>}
      </div>
    </FormPanel>
  );
}

type Lift = Parameters<PixgateOperator["brakes"]["set"]>[0];

/**
 * Lifts the brake that was looked at: somebody may have set another one since. A process of an earlier version, which does not
 * know the field, lifts whichever is set.
 */
async function liftBrake(operator: PixgateOperator, { brakeId, ...body }: Lift) {
  try {
    return await operator.brakes.set({ ...body, brakeId });
  } catch (error) {
    if (isUuid(brakeId) && isRefusal(error) && isAbout(error.details.issues)) return operator.brakes.set(body);
    throw error;
  }
}

const isUuid = (id: string | undefined): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id ?? "");
const isAbout = (issues: unknown): boolean => Array.isArray(issues) && issues.some(({ path }) => path === "brakeId");

/** Withdrawals that are counted; of more the sentence says that there are more. */
const COUNTED = 100;

/** What is queued where the brake would be: what it would hold first. */
function Queued({ scope, id }: { scope: Scope; id: string }) {
  const { t } = useTranslation();
  const { operator } = useSession();
  const where = scope === "institution" ? { institutionId: id } : scope === "account" ? { accountId: id } : {};
  const { data } = useQuery({
    queryKey: ["operator", "queued", scope, id],
    queryFn: () => operator.withdrawals.list({ status: "pending", ...where, limit: COUNTED }).page(),
    enabled: scope === "all" || (id !== "" && scope !== "wallet"),
  });
  if (data === undefined) return null;
  const { items, nextCursor } = data;
  const sum = showBrl(addBrl(0, ...items.map(({ amount }) => amount)));
  const key = items.length === 0 ? "noneQueued" : nextCursor === null ? "queued" : "manyQueued";
  return <p>{t(`operator.brakes.${key}`, { count: items.length, sum })}</p>;
}

function Which({ scope, id, onChoose }: { scope: Scope; id: string; onChoose: (id: string) => void }) {
  const { t } = useTranslation();
  const institutions = useInstitutions();
  const accounts = useAccounts();
  if (scope === "all") return null;
  const items = (scope === "institution" ? institutions.data : accounts.data) ?? [];
  return (
    <NativeSelect
      label={t(`operator.brakes.scope.${scope}`)}
      value={id}
      required
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      data={[
        { value: "", label: t("operator.brakes.choose") },
        ...items.map(({ id: value, name }) => ({ value, label: name })),
      ]}
    />
  );
}
