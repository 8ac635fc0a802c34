import { Button, TextInput } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { Empty } from "../parts/feedback.tsx";
import { useAddress } from "../parts/filters.tsx";
import { FormPanel, fieldOf } from "../parts/form-panel.tsx";
import { Icon } from "../parts/icon.tsx";
import { PagedList } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";

type Project = merchant.Project;

/** Names that tag charges. */
export default function Projects() {
  const { t } = useTranslation();
  const { pixgate, scope, may } = useSession();
  const address = useAddress();
  const make = may("PROJECT:WRITE") && (
    <Button leftSection={<Icon name="plus" />} onClick={() => address.change({ new: "1" })}>
      {t("projects.new")}
    </Button>
  );
  return (
    <Page title={t("nav.projects")} acts={make}>
      <p className="second" style={{ marginBottom: 12 }}>
        {t("projects.lead")}
      </p>
      <PagedList
        queryKey={[...scope, "projects"]}
        read={async (cursor = "1") => {
          const { items, page, totalPages } = await pixgate.projects.list({ page: Number(cursor), limit: 50 }).page();
          return { items, nextCursor: page < totalPages ? String(page + 1) : null };
        }}
        keyOf={({ id }) => id}
        empty={<Empty>{t("projects.empty")}</Empty>}
      >
        {(projects) => <ProjectTable projects={projects} />}
      </PagedList>
      <NewProject opened={address.get("new") !== null} onClose={() => address.change({ new: null })} />
    </Page>
  );
}

function Name({ project: { name, color } }: { project: Project }) {
  return (
    <span className="state">
      <span aria-hidden="true" style={{ width: 10, height: 10, borderRadius: 3, background: color }} />
      {name}
    </span>
  );
}

function ProjectTable({ projects }: { projects: readonly Project[] }) {
  const { t } = useTranslation();
  return (
    <Table
      caption={t("nav.projects")}
      rows={projects}
      keyOf={({ id }) => id}
      columns={[
        { key: "name", title: t("projects.name"), cell: (project) => <Name project={project} /> },
        {
          key: "description",
          title: t("newCharge.description"),
          className: "second",
          cell: ({ description }) => description ?? "–",
        },
        { key: "id", title: t("charge.id"), cell: ({ id }) => <span className="mono small">{id}</span> },
        {
          key: "time",
          title: t("transactions.created"),
          end: true,
          className: "quiet",
          cell: ({ createdAt }) => <Moment at={createdAt} />,
        },
      ]}
      phone={(project) => [
        <Name key="name" project={project} />,
        "",
        project.description ?? "",
        <Moment key="time" at={project.createdAt} />,
      ]}
    />
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
