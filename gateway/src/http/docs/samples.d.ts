import type { Call } from "./call.js";

type Sample = (call: Call, base: string) => string;
export const curl: Sample;
export const typescript: Sample;
export const python: Sample;
export const php: Sample;
