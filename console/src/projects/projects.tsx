import "./projects.css";
import { TextInput } from "@mantine/core";
import { addBrl, type merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { timeColumn } from "../parts/columns.tsx";
import { useCounted } from "../parts/counted.ts";
import { Facts } from "../parts/facts.tsx";
import { Read } from "../parts/feedback.tsx";
import { FormPanel, fieldOf } from "../parts/form-panel.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { Id } from "../parts/id.tsx";
import { showInFull } from "../parts/instant.ts";
import { ListScreen } from "../parts/list-screen.tsx";
import { Money } from "../parts/money.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";

type Project = merchant.Project;

/** Charges of a project that its figures are made of: the newest ones. */
const NEWEST = 100;

const chargesOf = ({ id }: Project): string => `/charges?project=${id}`;

/** Names that tag charges. */
export default function Projects() {
  const { t } = useTranslation();
  const counted = useCounted<Project>("projects");
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
      sumOf={counted}
      empty={t("projects.empty")}
      panel={{
        title: (project) => project?.name ?? t("nav.projects"),
        body: (project) => <Details key={project.id} project={project} />,
      }}
      columns={[
        { key: "name", title: t("projects.name"), cell: (project) => <Name project={project} />, corner: "who" },
        {
          key: "description",
          title: t("newCharge.description"),
          className: "second",
          cell: ({ description }) => description ?? "–",
          corner: "state",
          phone: ({ description, createdAt }) =>
            description ?? (
              <>
                {t("projects.created")} <Moment at={createdAt} />
              </>
            ),
        },
        timeColumn(t("projects.created"), ({ createdAt }) => createdAt, { corner: undefined }),
        {
          key: "charges",
          title: t("nav.charges"),
          end: true,
          cell: (project) => <Charges project={project} />,
        },
      ]}
    >
      <p className="second gap-below">{t("projects.lead")}</p>
    </ListScreen>
  );
}

function Charges({ project }: { project: Project }) {
  const { t } = useTranslation();
  return (
    <Link href={chargesOf(project)} className="act">
      {t("projects.charges")}
    </Link>
  );
}

/** A project: what its charges have brought, its data, and the way to them. */
function Details({ project }: { project: Project }) {
  const { t, i18n } = useTranslation();
  const { pixgate, scope } = useSession();
  const query = useQuery({
    queryKey: [...scope, "projects", project.id, "charges"],
    queryFn: () => pixgate.transactions.list({ type: "payment", projectId: project.id, limit: NEWEST }).page(),
  });
  return (
    <>
      {project.description && (
        <p>
          <FreeText>{project.description}</FreeText>
        </p>
      )}
      <Read query={query} lines={3}>
        {({ items, nextCursor }) => {
          const paid = items.filter(({ status }) => status === "completed");
          return (
            <>
              <Facts
                facts={[
                  [t("projects.made"), String(items.length)],
                  [t("projects.paid"), String(paid.length)],
                  [t("projects.received"), <Money key="sum" brl={addBrl(...paid.map(({ amount }) => amount))} />],
                ]}
              />
              {nextCursor && <p className="small quiet">{t("projects.newest", { count: NEWEST })}</p>}
            </>
          );
        }}
      </Read>
      <Charges project={project} />
      <Facts
        facts={[
          [t("projects.created"), showInFull(new Date(project.createdAt), i18n.language)],
          [t("charge.id"), <Id key="id">{project.id}</Id>],
        ]}
      />
    </>
  );
}

function Name({ project: { name, color } }: { project: Project }) {
  return (
    <span className="project-name">
      <span aria-hidden="true" className="swatch" style={{ background: color }} />
      <FreeText>{name}</FreeText>
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
