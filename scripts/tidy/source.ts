/** Shared by the rules: files, problems, and code without comments. */

export type SourceFile = { readonly path: string; readonly text: string };
export type Problem = {
  readonly rule: string;
  readonly path: string;
  /** From 1; null for the file as a whole. */
  readonly line: number | null;
  readonly message: string;
  /** The function or export that the problem is about. */
  readonly name?: string;
  /** How many lines the file or the function has, for the rules that count them. */
  readonly lines?: number;
};

export function isTypeScript(file: { readonly path: string }): boolean {
  return /\.tsx?$/.test(file.path);
}

export function isTest(path: string): boolean {
  return (
    path.endsWith(".test.ts") ||
    /^(?:(?:console|embedded-postgres|gateway|psp-simulator|sdk)\/test|stress)\//.test(path)
  );
}

/** Files that make the context's seams: they may use the real clock, randomness and network. */
const SEAM_FILES = ["gateway/src/program/commands.ts", "gateway/src/context.ts"];
/** The command line: a separate program, which calls the gateway over HTTP. */
const CLI = "gateway/src/cli/";

/** Whether a file must get time, randomness and the network from the context. */
export function isBehindSeams(path: string): boolean {
  return (
    path.startsWith("gateway/src/") &&
    isTypeScript({ path }) &&
    !isTest(path) &&
    !SEAM_FILES.includes(path) &&
    !path.startsWith(CLI)
  );
}

/** Blanks comments and keeps lines. Biome puts a comment at the start of a line or, after a space, at its end. */
export function withoutComments(text: string): string {
  return text.replace(/(?<=^|\s)\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/|^\s*\/\/.*$|\s\/\/ .*$/gm, blank);
}

export function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
