/** The files of an audit: the page, the results as JSON lines, and a spec per shape. */
import { AUDIT_GENERATOR, auditPage } from './page';
import type { ShapeResult } from './result';
import type { AuditSummary } from './summary';
import { specFileName } from './next';

export const SPECS_FOLDER = 'specs';
export const PAGE_FILE = 'audit.html';
export const RESULTS_FILE = 'audit.jsonl';

export interface AuditFile {
  readonly folder?: string;
  readonly name: string;
  readonly text: string;
}

export const resultLines = (results: readonly ShapeResult[], summary: AuditSummary): string =>
  [...results, { summary }].map(line => `${JSON.stringify(line)}\n`).join('');

/** Returns the page and the results first, then the specs. */
export function auditFiles(
  results: readonly ShapeResult[],
  summary: AuditSummary,
): readonly AuditFile[] {
  const specs = new Map(
    results.flatMap(result => {
      const name = specFileName(result);
      return name === null || result.spec === null ? [] : [[name, result.spec] as const];
    }),
  );
  return [
    { name: PAGE_FILE, text: auditPage(results, summary) },
    { name: RESULTS_FILE, text: resultLines(results, summary) },
    ...[...specs].map(([name, spec]) => ({
      folder: SPECS_FOLDER,
      name,
      text: `${JSON.stringify(spec, null, 2)}\n`,
    })),
  ];
}

/** Tests whether a text is a page or a result file of an earlier audit, which may be replaced. */
export const isAuditOutput = (text: string): boolean =>
  text.includes(`<meta name="generator" content="${AUDIT_GENERATOR}">`) ||
  text.startsWith('{"key":"') ||
  text.startsWith('{"summary":{"place":');
