/** Reports how many of the steps of a long task are done. */
export type Progress = (done: number, of: number) => void;
