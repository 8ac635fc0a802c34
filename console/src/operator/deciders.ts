import { useQuery } from "@tanstack/react-query";
import type { Answers } from "../generated/answers.ts";
import { callConsole, unlessForbidden } from "../session/calls.ts";
import { decides } from "./deciding.ts";

type Member = Answers["listPeople"]["items"][number];

/** Who of the installation decides about money, for those who may read the list of people; nobody until it is read. */
export function useDeciders(): readonly Member[] {
  const { data } = useQuery({
    queryKey: ["operator", "people", "able"],
    queryFn: () => unlessForbidden(callConsole<Answers["listPeople"]>("GET", "/people")),
  });
  return (data?.items ?? []).filter(({ role }) => decides(role));
}
