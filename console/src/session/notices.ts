import type { Answers } from "../generated/answers.ts";
import { callConsole } from "./calls.ts";

/** What happened to the person's access. */
export type Notice = Answers["listNotices"]["items"][number];

/** The person's newest notices, read once for each page. */
export const NOTICES = {
  queryKey: ["notices"],
  queryFn: () => callConsole<Answers["listNotices"]>("GET", "/me/notices"),
  staleTime: 60_000,
};
