/**
 * Collects the localizable texts of the extension and the CLI: every call of `t` from @vscode/l10n
 * in the source.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

export interface Text {
  readonly text: string;
  /** Location as `file:line`. */
  readonly at: string;
  /** Number of values passed for the text; null for a record or spread. */
  readonly given: number | null;
}

export interface Found {
  readonly texts: readonly Text[];
  /** Calls whose text cannot be collected because it is not a literal. */
  readonly unreadable: readonly string[];
}

const ZONES = ['src', 'webview'];

export function textsOfProduct(root: string): Found {
  const files = ZONES.flatMap(zone =>
    readdirSync(path.join(root, zone), { recursive: true, encoding: 'utf8' })
      .filter(name => /\.tsx?$/.test(name))
      .map(name => path.join(zone, name)),
  ).sort();
  const found = files.map(file => textsOf(file, readFileSync(path.join(root, file), 'utf8')));
  return {
    texts: found.flatMap(({ texts }) => texts),
    unreadable: found.flatMap(({ unreadable }) => unreadable),
  };
}

export function textsOf(file: string, source: string): Found {
  const texts: Text[] = [];
  const unreadable: string[] = [];
  if (!/import \{[^}]*\bt\b[^}]*\} from '@vscode\/l10n'/.test(source)) return { texts, unreadable };
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return;
    if (node.expression.text !== 't') return;
    const at = `${file}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
    const [first, ...rest] = node.arguments;
    if (first !== undefined && ts.isStringLiteralLike(first)) {
      const record = rest[0] !== undefined && ts.isObjectLiteralExpression(rest[0]);
      const uncounted = record || rest.some(ts.isSpreadElement);
      const given = uncounted ? null : rest.length + partsOf(node);
      texts.push({ text: first.text, at, given });
    } else unreadable.push(at);
  };
  visit(tree);
  return { texts, unreadable };
}

/**
 * Returns the number of values that `fill(t('…'), …)` or `ownMarkup(t('…'), …)` passes for the
 * text; otherwise 0.
 */
function partsOf(call: ts.CallExpression): number {
  const { parent } = call;
  const filled =
    ts.isCallExpression(parent) &&
    ts.isIdentifier(parent.expression) &&
    ['fill', 'ownMarkup'].includes(parent.expression.text) &&
    parent.arguments[0] === call;
  return filled ? parent.arguments.length - 1 : 0;
}

/** Returns the distinct names in braces, sorted, e.g. `0` and `1` of "{0} of {1}". */
export const placeholders = (text: string): readonly string[] =>
  [...new Set([...text.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name))].sort();
