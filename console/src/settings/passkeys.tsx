import { Button, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answers } from "../generated/answers.ts";
import { useChange } from "../parts/change.ts";
import { timeColumn } from "../parts/columns.tsx";
import { Failure, Read } from "../parts/feedback.tsx";
import { FormPanel, fieldOf } from "../parts/form-panel.tsx";
import { Section } from "../parts/page.tsx";
import { Panel } from "../parts/panel.tsx";
import { Table } from "../parts/table.tsx";
import { Moment } from "../parts/time.tsx";
import { AddPasskey } from "../session/add-passkey.tsx";
import { callConsole, type Session } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";

type Passkey = Answers["listPasskeys"]["items"][number];

/** The person's own passkeys: which there are, when each was used, one more, one less. */
export function Passkeys() {
  const { t } = useTranslation();
  const { session, replace } = useSession();
  const [adding, setAdding] = useState(false);
  const [renamed, setRenamed] = useState<Passkey | null>(null);
  const query = useQuery({
    queryKey: ["passkeys"],
    queryFn: () => callConsole<Answers["listPasskeys"]>("GET", "/me/passkeys"),
  });
  const remove = useChange(
    async (id: string) => {
      await callConsole<void>("DELETE", `/me/passkeys/${id}`, undefined, session.csrfToken);
      return callConsole<Session>("GET", "/session");
    },
    (next) => replace(next),
  );
  return (
    <Section title={t("passkeys.title")}>
      {remove.error && <Failure error={remove.error} />}
      <Read query={query} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="small quiet pad-top">{t("passkeys.none")}</p>
          ) : (
            <Owned items={items} onRename={setRenamed} onRemove={(id) => remove.mutate(id)} />
          )
        }
      </Read>
      <div className="pad-top">
        <Button variant="default" onClick={() => setAdding(true)}>
          {t("passkeys.add")}
        </Button>
      </div>
      <FormPanel
        title={t("passkeys.renameOne", { name: renamed?.name })}
        opened={renamed !== null}
        onClose={() => setRenamed(null)}
        read={(form) => ({ name: fieldOf(form, "name") })}
        save={(body) => callConsole<void>("PATCH", `/me/passkeys/${renamed?.id}`, body, session.csrfToken)}
        button={{ text: t("passkeys.rename") }}
      >
        <TextInput
          name="name"
          label={t("passkeys.name")}
          description={t("passkeys.nameHelp")}
          defaultValue={renamed?.name ?? ""}
          maxLength={60}
          required
          data-autofocus
        />
      </FormPanel>
      <Panel title={t("passkeys.add")} opened={adding} onClose={() => setAdding(false)}>
        <AddPasskey
          session={session}
          onDone={(next) => {
            replace(next);
            setAdding(false);
          }}
        />
      </Panel>
    </Section>
  );
}

function Owned({
  items,
  onRename,
  onRemove,
}: {
  items: readonly Passkey[];
  onRename: (passkey: Passkey) => void;
  onRemove: (id: string) => void;
}) {
  const { t } = useTranslation();
  const act = (one: Passkey) => (
    <>
      <button
        type="button"
        className="act"
        aria-label={t("passkeys.renameOne", { name: one.name })}
        onClick={() => onRename(one)}
      >
        {t("passkeys.rename")}
      </button>{" "}
      <button
        type="button"
        className="act"
        aria-label={t("passkeys.removeOne", { name: one.name })}
        onClick={() => onRemove(one.id)}
      >
        {t("passkeys.remove")}
      </button>
    </>
  );
  const used = ({ lastUsedAt }: Passkey) =>
    lastUsedAt === null ? t("passkeys.neverUsed") : <Moment key="used" at={lastUsedAt} />;
  const kept = ({ synced }: Passkey) => t(synced ? "passkeys.synced" : "passkeys.ofDevice");
  return (
    <Table<Passkey>
      caption={t("passkeys.title")}
      rows={items}
      keyOf={({ id }) => id}
      columns={[
        { key: "name", title: t("passkeys.name"), cell: ({ name }) => name, corner: "who" },
        { key: "kept", title: t("passkeys.where"), className: "quiet", cell: kept, corner: "state" },
        timeColumn(t("passkeys.added"), ({ createdAt }) => createdAt, { corner: undefined }),
        { key: "used", title: t("passkeys.lastUsed"), className: "quiet", cell: used, corner: "time" },
        { key: "act", title: t("passkeys.remove"), isTitleHidden: true, end: true, cell: act, corner: "amount" },
      ]}
    />
  );
}
