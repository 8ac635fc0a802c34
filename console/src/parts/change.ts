import { useMutation, useQueryClient } from "@tanstack/react-query";
import { readAgain } from "./read-again.ts";

/** A call that changes something. Whatever its outcome, every query is read again: a call without an answer may have had its effect. */
export function useChange<Answer, Variables = void>(
  change: (variables: Variables) => Promise<Answer>,
  onDone?: (answer: Answer) => void,
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    ...(onDone && { onSuccess: onDone }),
    onSettled: () => readAgain(queries),
  });
}
