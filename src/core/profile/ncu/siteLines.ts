/**
 * Finds the source lines of access sites: from the loop IR of a generated kernel, otherwise from
 * PTX.
 */
import type { Analysis } from '../../report/analysis';
import { isLowered, type Kernel } from '../../kernel/kernel';
import { statementLines } from '../../kernel/print/statementLines';
import type { Place, Statement, Value } from '../../kernel/ir/ir';
import type { Space } from './sourcePage';

export interface SiteLines {
  /** Source lines (one-based). */
  readonly lines: ReadonlySet<number>;
  readonly copied: boolean;
}

export const siteKey = (space: Space, op: 'load' | 'store', name: string): string =>
  `${space} ${op} ${name}`;

/**
 * Returns the lines of the main kernel's sites by `siteKey`; empty for a hand-written main loop.
 */
export function generatedSiteLines(kernel: Kernel): ReadonlyMap<string, SiteLines> {
  const places = new Map<string, { lines: Set<number>; copied: boolean }>();
  if (!isLowered(kernel)) return places;
  const lines = statementLines(kernel, kernel);
  const note = (of: Place | Value, op: 'load' | 'store', at: Statement, copied: boolean): void => {
    if (of.op !== 'global' && of.op !== 'shared') return;
    const key = siteKey(of.op, op, of.site.name);
    const place = places.get(key) ?? { lines: new Set(), copied };
    const { first = 0, last = -1 } = lines.get(at) ?? {};
    for (let line = first; line <= last; line++) place.lines.add(line);
    places.set(key, { ...place, copied: place.copied || copied });
  };
  const visit = (body: readonly Statement[]): void => {
    for (const statement of body) {
      const copied = statement.op === 'assign' && statement.asynchronous === true;
      if (statement.op === 'assign') {
        for (const value of leaves(statement.value)) note(value, 'load', statement, copied);
        note(statement.place, 'store', statement, copied);
      } else if (statement.op === 'fma') {
        const { left, right } = statement;
        for (const value of [left, right].flatMap(leaves)) note(value, 'load', statement, false);
      }
      if ('body' in statement) visit(statement.body);
      if (statement.op === 'if') visit(statement.otherwise ?? []);
    }
  };
  visit(kernel.ir.body);
  return places;
}

function leaves(value: Value): readonly Value[] {
  switch (value.op) {
    case 'mul':
    case 'add':
    case 'sub':
      return [value.left, value.right].flatMap(leaves);
    case 'guarded':
    case 'convert':
    case 'broadcast':
      return leaves(value.value);
    case 'lanes':
      return value.values.flatMap(leaves);
    default:
      return [value];
  }
}

export function compiledSiteLines({
  globalMemory,
  sharedMemory,
}: Pick<Analysis, 'globalMemory' | 'sharedMemory'>): ReadonlyMap<string, SiteLines> {
  const places = new Map<string, SiteLines>();
  const note = (
    space: Space,
    { site, op, source }: Analysis['globalMemory'][number] | Analysis['sharedMemory'][number],
  ) => {
    const line = source?.line ?? null;
    places.set(siteKey(space, op, site), {
      lines: new Set(line === null ? [] : [line]),
      copied: false,
    });
  };
  for (const site of globalMemory) note('global', site);
  for (const site of sharedMemory) note('shared', site);
  return places;
}
