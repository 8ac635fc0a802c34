import { Button, FileButton as PickFile } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../parts/change.ts";
import { downloadFile } from "../parts/download.ts";
import { Failure, Read } from "../parts/feedback.tsx";
import { Icon } from "../parts/icon.tsx";
import { useSession } from "../session/session.tsx";
import "./evidence.css";

/** Largest file, bytes; files of one dispute; and the types that the gateway takes. */
const MOST_BYTES = 5 * 1024 * 1024;
const MOST_FILES = 10;
const TYPES = "application/pdf,image/png,image/jpeg";

/** The files that were added as evidence: more can be added, and removed, until the defence is sent. */
export function Evidence({ block }: { block: merchant.BalanceBlock }) {
  const { t } = useTranslation();
  const { pixgate, scope, may } = useSession();
  const query = useQuery({
    queryKey: [...scope, "block", block.id, "files"],
    queryFn: async () => (await pixgate.balanceBlocks.listFiles(block.id).page()).items,
  });
  const changes = block.status === "awaiting_response" && may("BALANCE_BLOCK:WRITE");
  return (
    <>
      {changes && <p className="small second">{t("blocks.evidenceText")}</p>}
      <Read query={query} lines={2}>
        {(files) => (
          <div className="stack">
            {!changes && files.length > 0 && <p className="small second">{t("blocks.evidenceAfter")}</p>}
            {files.length > 0 && (
              <ul className="evidence">
                {files.map((file) => (
                  <EvidenceFile key={file.id} blockId={block.id} file={file} removes={changes} />
                ))}
              </ul>
            )}
            {changes && files.length < MOST_FILES && <Add blockId={block.id} />}
            {!changes && files.length === 0 && <p className="small quiet">{t("blocks.noEvidence")}</p>}
          </div>
        )}
      </Read>
    </>
  );
}

function Add({ blockId }: { blockId: string }) {
  const { t } = useTranslation();
  const { pixgate } = useSession();
  const [tooLarge, setTooLarge] = useState<string | null>(null);
  const add = useChange((file: File) => pixgate.balanceBlocks.addFile(blockId, file, { name: file.name.slice(-120) }));
  const pick = (file: File | null) => {
    if (file === null) return;
    const fits = file.size <= MOST_BYTES;
    setTooLarge(fits ? null : file.name);
    if (fits) add.mutate(file);
  };
  return (
    <>
      <div className="gap-above">
        <PickFile accept={TYPES} onChange={pick}>
          {(props) => (
            <Button {...props} variant="default" leftSection={<Icon name="plus" />} loading={add.isPending}>
              {t("blocks.addFile")}
            </Button>
          )}
        </PickFile>
      </div>
      {tooLarge !== null && (
        <p className="small" role="alert">
          {t("blocks.fileTooLarge", { name: tooLarge })}
        </p>
      )}
      {add.error && <Failure error={add.error} />}
    </>
  );
}

function EvidenceFile({ blockId, file, removes }: { blockId: string; file: merchant.EvidenceFile; removes: boolean }) {
  const { t } = useTranslation();
  const { pixgate } = useSession();
  const [picture, setPicture] = useState<string | null>(null);
  const read = () => pixgate.balanceBlocks.getFileAs("application/octet-stream", blockId, file.id);
  const store = useMutation({ mutationFn: read, onSuccess: (bytes) => downloadFile(file.name, bytes, file.mediaType) });
  const show = useMutation({
    mutationFn: async () => pictureOf(new Blob([await read()], { type: file.mediaType })),
    onSuccess: setPicture,
  });
  const remove = useChange(() => pixgate.balanceBlocks.deleteFile(blockId, file.id));
  const isPicture = file.mediaType.startsWith("image/");
  const error = store.error ?? show.error ?? remove.error;
  const act = (label: string, onClick: () => void, pending: boolean) => (
    <button type="button" className="act" aria-label={`${label}: ${file.name}`} disabled={pending} onClick={onClick}>
      {label}
    </button>
  );
  return (
    <li>
      <div className="evidence-file">
        <span className="cut">{file.name}</span>
        <span className="small quiet">{t("blocks.kilobytes", { count: Math.ceil(file.size / 1000) })}</span>
        {isPicture &&
          (picture === null
            ? act(t("blocks.showFile"), () => show.mutate(), show.isPending)
            : act(t("blocks.hideFile"), () => setPicture(null), false))}
        {act(t("blocks.storeFile"), () => store.mutate(), store.isPending)}
        {removes && act(t("blocks.removeFile"), () => remove.mutate(), remove.isPending)}
      </div>
      {picture !== null && <img src={picture} alt={file.name} />}
      {error && <Failure error={error} />}
    </li>
  );
}

/** A picture as an address of its own bytes: the console's policy shows no other. */
const pictureOf = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
