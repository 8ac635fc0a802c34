import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type TS from "../../sdk/node_modules/typescript/lib/typescript.js";

const root = new URL("../../sdk/", import.meta.url);
/** The SDK's own compiler: TypeScript 7 has no JavaScript API. */
const ts = createRequire(new URL("package.json", root))("typescript") as typeof TS;

const HEAD = `# Reference

Written by \`node scripts/sdk.ts\` from the docstrings of \`src/\`. The [README](../README.md) shows how it is used.
Types such as \`Charge\` are \`merchant.Charge\` and \`operator.OperatorAccount\`: \`import type { merchant } from "@pixgate/sdk"\`.
`;
/** The headings in their order, with the exports of each: those declared in files that match. */
const SECTIONS: readonly (readonly [title: string, file: RegExp])[] = [
  ["Clients", /\/(merchant|operator|transport|list|wait)\.ts$/],
  ["Webhooks", /\/webhooks\/|\/generated\/events\.ts$/],
  ["Money", /\/money\.ts$/],
  ["Errors", /\/errors\.ts$|\/generated\/error-codes\.ts$/],
];

/** The reference of all exports of the package, in Markdown. */
export function referenceOf(): string {
  const { config } = ts.readConfigFile(fileURLToPath(new URL("tsconfig.json", root)), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, fileURLToPath(root));
  const entry = fileURLToPath(new URL("src/index.ts", root));
  const program = ts.createProgram([entry], { ...options, noEmit: true });
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(entry) as TS.SourceFile) as TS.Symbol;
  const exported = checker
    .getExportsOfModule(module)
    .map((one) => (one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one))
    .flatMap((symbol) => {
      const [declaration] = symbol.declarations ?? [];
      return declaration === undefined || ts.isSourceFile(declaration) ? [] : [{ symbol, declaration }];
    });
  const parts = SECTIONS.map(([title, file]) => {
    const members = exported.filter(({ declaration }) => file.test(declaration.getSourceFile().fileName));
    return `## ${title}\n\n${members.map(({ symbol, declaration }) => entryOf(checker, symbol, declaration)).join("\n")}`;
  });
  return [HEAD, ...parts].join("\n");
}

function entryOf(checker: TS.TypeChecker, symbol: TS.Symbol, declaration: TS.Declaration): string {
  const doc = docOf(checker, symbol);
  if (ts.isClassDeclaration(declaration)) return classOf(checker, symbol, declaration, doc);
  if (ts.isFunctionDeclaration(declaration))
    return `### ${symbol.name}\n\n${code(signatureOf(symbol.name, declaration))}\n\n${doc}\n`;
  if (ts.isVariableDeclaration(declaration) && declaration.initializer && ts.isArrowFunction(declaration.initializer))
    return `### ${symbol.name}\n\n${code(signatureOf(symbol.name, declaration.initializer))}\n\n${doc}\n`;
  const members = checker
    .getDeclaredTypeOfSymbol(symbol)
    .getProperties()
    .filter((one) => one.declarations?.some((node) => node.getSourceFile().fileName.includes("/sdk/src/")));
  const isObject = ts.isTypeAliasDeclaration(declaration) && !ts.isUnionTypeNode(declaration.type);
  const rows = isObject ? members.map((one) => `- \`${fieldOf(one)}\`: ${oneLine(docOf(checker, one))}`) : [];
  return `### ${symbol.name}\n\n${doc}\n${rows.length > 0 ? `\n${rows.join("\n")}\n` : ""}`;
}

/** A class with its methods; of a client, with the operations of each noun. */
function classOf(checker: TS.TypeChecker, symbol: TS.Symbol, node: TS.ClassDeclaration, doc: string): string {
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  const own = type.getProperties().filter((one) => isOurs(one) && /^\w/.test(one.name) && !one.name.startsWith("__"));
  const methods = own.filter((one) => one.flags & ts.SymbolFlags.Method).map((one) => methodOf(checker, one, ""));
  const fields = own
    .filter(
      (one) =>
        one.valueDeclaration &&
        !/^#/.test(nameOf(one)) &&
        one.flags & (ts.SymbolFlags.Property | ts.SymbolFlags.Accessor) &&
        one.name !== "name",
    )
    .map((one) => ({ name: one.name, symbol: one, of: checker.getTypeOfSymbol(one) }));
  const nouns = fields.filter(({ of }) => of.isClass());
  const plain = fields
    .filter(({ of }) => !of.isClass())
    .filter(({ symbol: one }) => one.declarations?.[0]?.parent === node)
    .map(({ symbol: one }) => `- \`${fieldOf(one)}\`: ${oneLine(docOf(checker, one))}`);
  const base = node.heritageClauses
    ?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
    ?.types[0]?.expression.getText();
  const extended = base === undefined || base === "Operations" ? "" : ` Extends \`${base}\`.`;
  return [
    `### ${symbol.name}\n\n${doc}${extended}\n`,
    ...(plain.length > 0 ? [`${plain.join("\n")}\n`] : []),
    ...methods,
    ...nouns.flatMap(({ name, of }) => [
      `#### ${symbol.name}: ${name}\n\n${docOf(checker, of.symbol)}\n`,
      ...of
        .getProperties()
        .filter((one) => one.flags & ts.SymbolFlags.Method && isOurs(one))
        .map((one) => methodOf(checker, one, `${name}.`)),
    ]),
  ].join("\n");
}

const nameOf = ({ valueDeclaration }: TS.Symbol): string =>
  (valueDeclaration as TS.NamedDeclaration | undefined)?.name?.getText() ?? "";
const isOurs = ({ declarations = [] }: TS.Symbol): boolean =>
  declarations.some((node) => node.getSourceFile().fileName.includes("/sdk/src/"));

function methodOf(checker: TS.TypeChecker, symbol: TS.Symbol, prefix: string): string {
  const node = symbol.declarations?.find((one) => ts.isMethodDeclaration(one));
  if (node === undefined) return "";
  return `${code(signatureOf(`${prefix}${symbol.name}`, node as TS.MethodDeclaration))}\n\n${docOf(checker, symbol)}\n`;
}

const code = (text: string): string => `\`\`\`ts\n${text}\n\`\`\``;

/** A signature as in the source, without the defaults and modifiers that callers do not see. */
function signatureOf(name: string, node: TS.SignatureDeclaration): string {
  const parameters = node.parameters.map((one) => {
    const type = one.type?.getText() ?? "unknown";
    const named = ts.isIdentifier(one.name) ? one.name.text : "options";
    const optional = one.initializer || one.questionToken ? "?" : "";
    return `${one.dotDotDotToken ? "..." : ""}${named}${optional}: ${type}`;
  });
  return `${name}(${parameters.join(", ")}): ${node.type?.getText() ?? "unknown"}`
    .replaceAll("wire.", "")
    .replace(/\s+/g, " ");
}

/** `readonly timeoutMs?: number` of a field. */
function fieldOf(symbol: TS.Symbol): string {
  const node = symbol.declarations?.[0];
  if (node === undefined) return symbol.name;
  if (!ts.isPropertySignature(node) && !ts.isPropertyDeclaration(node) && !ts.isGetAccessorDeclaration(node))
    return symbol.name;
  const optional = "questionToken" in node && node.questionToken ? "?" : "";
  return `${symbol.name}${optional}: ${(node.type?.getText() ?? "unknown").replace(/\s+/g, " ")}`;
}

/** The docstring, with its tags written as sentences. */
function docOf(checker: TS.TypeChecker, symbol: TS.Symbol): string {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  const tags = symbol.getJsDocTags(checker).map(({ name, text: parts }) => {
    const tag = ts.displayPartsToString(parts);
    if (name === "throws")
      return `Throws ${tag.replace(/^\{(\w+)\}\s*/, "`$1`: ").replace(/^(\w+Error)\b:?\s*/, "`$1`: ")}`;
    return name === "param" ? `\`${tag.replace(/\s+/, "`: ")}` : tag;
  });
  return [text, ...tags].filter((one) => one !== "").join("\n\n");
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ");
