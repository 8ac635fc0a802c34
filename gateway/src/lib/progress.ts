/** Reports how many of the steps of something long are done. */
export type Progress = (done: number, of: number) => void;
