import "./projects.css";
import { Button, TextInput } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { timeColumn } from "../parts/columns.tsx";
import { copy } from "../parts/copy.ts";
import { Facts } from "../parts/facts.tsx";
import { FormPanel, fieldOf } from "../parts/form-panel.tsx";
import { ListScreen } from "../parts/list-screen.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";

type Project = merchant.Project;

/** Names that tag charges. */
export default function Projects() {
  const { t } = useTranslation();
  const { pixgate, scope, may } = useSession();
  return (
    <ListScreen<Project>
      title={t("nav.projects")}
      make={
        may("PROJECT:WRITE") && {
          text: t("projects.new"),
          panel: (opened, close) => <NewProject opened={opened} onClose={close} />,
        }
      }
      queryKey={[...scope, "projects"]}
      read={async ({ cursor = "1" }) => {
        const { items, page, totalPages } = await pixgate.projects.list({ page: Number(cursor), limit: 50 }).page();
        return { items, nextCursor: page < totalPages ? String(page + 1) : null };
      }}
      keyOf={({ id }) => id}
      empty={t("projects.empty")}
      panel={{
        title: (project) => project?.name ?? t("projects.one"),
        body: (project) => <Details project={project} />,
      }}
      columns={[
        {
          key: "name",
          title: t("projects.name"),
          className: "lead",
          cell: (project) => <Name project={project} />,
          corner: "who",
        },
        {
          key: "description",
          title: t("newCharge.description"),
          className: "second",
          cell: ({ description }) => description ?? "–",
          corner: "state",
          phone: ({ description }) => description,
        },
        timeColumn(t("list.created"), ({ createdAt }) => createdAt, {
          phone: ({ createdAt }) => (
            <>
              {t("list.created")} <Moment at={createdAt} />
            </>
          ),
        }),
      ]}
    >
      <p className="second gap-below">{t("projects.lead")}</p>
    </ListScreen>
  );
}

/** A project: what it tags, and the id by which a program names it. */
function Details({ project: { id, description, createdAt } }: { project: Project }) {
  const { t } = useTranslation();
  return (
    <div className="stack">
      <Facts
        facts={[
          [t("newCharge.description"), description],
          [t("list.created"), <Moment key="created" at={createdAt} />],
          [
            t("charge.id"),
            <span key="id" className="mono">
              {id}
            </span>,
          ],
        ]}
      />
      <p className="note">{t("projects.tagText")}</p>
      <div className="file-acts">
        <Button component={Link} href={`/charges?project=${id}`}>
          {t("projects.charges")}
        </Button>
        <Button variant="default" onClick={() => copy(id)}>
          {t("projects.copyId")}
        </Button>
      </div>
    </div>
  );
}

function Name({ project: { name, color } }: { project: Project }) {
  return (
    <span className="state">
      <span aria-hidden="true" className="swatch" style={{ background: color }} />
      {name}
    </span>
  );
}

function NewProject({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate } = useSession();
  return (
    <FormPanel
      title={t("projects.new")}
      opened={opened}
      onClose={onClose}
      read={(form): merchant.ProjectRequest => {
        const description = fieldOf(form, "description");
        return {
          name: fieldOf(form, "name"),
          color: fieldOf(form, "color"),
          ...(description !== "" && { description }),
        };
      }}
      save={(body) => pixgate.projects.create(body)}
      button={{ text: t("projects.create") }}
    >
      <TextInput name="name" label={t("projects.name")} required maxLength={255} data-autofocus />
      <TextInput name="color" type="color" label={t("projects.color")} defaultValue="#0b7a6f" w={120} />
      <TextInput name="description" label={t("projects.description")} maxLength={2000} />
    </FormPanel>
  );
}
