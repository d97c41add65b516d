/**
 * Compares instruction counters with the access sites of the kernel: requests, and wavefronts or
 * sectors. Instructions are matched to sites by line, operation and width. Indistinguishable sites
 * are compared together.
 */
import { t } from '@vscode/l10n';
import type { Analysis } from '../../report/analysis';
import type { Runnable } from '../../kernel/kernel';
import { WARP_LANES } from '../../hardware/warp';
import { siteKey, type SiteLines } from './siteLines';
import type { CountedInstruction, SourcePage, Space } from './sourcePage';

export interface SiteRow {
  /**
   * Names of the sites. Sites that line information cannot distinguish share a row; empty for
   * instructions without a site.
   */
  readonly sites: readonly string[];
  readonly space: Space;
  readonly op: 'load' | 'store';
  readonly requests: Compared;
  /** Wavefronts for shared memory, sectors for global memory. */
  readonly cost: Compared;
  /** Access widths of the row's instructions in bytes per lane, widest first. */
  readonly widthsBytes: readonly number[];
  /** Reason for a difference; empty if the counts are equal. */
  readonly why: string;
}

export interface Compared {
  /** Count of the analysis; null without a matching site. */
  readonly ours: number | null;
  readonly counted: number;
}

export interface SiteComparison {
  readonly rows: readonly SiteRow[];
  readonly limits: readonly string[];
}

interface Site extends SiteLines {
  readonly name: string;
  readonly space: Space;
  readonly op: 'load' | 'store';
  readonly widths: readonly number[];
  readonly requests: number;
  readonly cost: number;
}

/**
 * Memory access of an instruction. An asynchronous copy has two accesses: a global load and a
 * shared store.
 */
interface SiteAccess {
  readonly instruction: CountedInstruction;
  readonly space: Space;
  readonly op: 'load' | 'store';
  readonly cost: number;
  /** Lines of the kernel source that contain a site. */
  readonly lines: readonly number[];
  /** Other source lines as `file:line`, such as lines of inlined functions. */
  readonly inlined: readonly string[];
}

export interface CountedSites {
  readonly analysis: Pick<Analysis, 'globalMemory' | 'sharedMemory'>;
  readonly places: ReadonlyMap<string, SiteLines>;
  readonly runnable: Pick<Runnable, 'source' | 'grid' | 'block' | 'entry'>;
}

export function compareSites(page: SourcePage, of: CountedSites): SiteComparison {
  const refused = notComparable(page, of);
  if (refused !== undefined) return { rows: [], limits: [refused] };
  const file = kernelFile(page, of.runnable.source);
  const sites = sitesOf(of);
  const parts = siteAccesses(page, sites, file);
  const named = candidatesOf(parts, sites);
  return {
    rows: grouped(sites, named).map(group => rowOf(group)),
    limits: [
      ...(file === undefined
        ? [
            t(
              'The source page has no line numbers for this kernel source, so sites are matched by operation and width only.',
            ),
          ]
        : []),
    ],
  };
}

/**
 * Explains why the page is not comparable: it is incomplete, or it describes a different launch.
 * Returns undefined if it is comparable.
 */
function notComparable(
  { instructions, cut }: SourcePage,
  { runnable: { grid, block, entry } }: CountedSites,
): string | undefined {
  if (cut) {
    return t('The source page of {0} is incomplete, so its access sites are not compared.', entry);
  }
  const threads = block.x * block.y * block.z;
  const warps = grid.x * grid.y * grid.z * Math.ceil(threads / WARP_LANES);
  const counted = instructions[0]?.executed ?? 0;
  if (counted === warps) return undefined;
  return t(
    'The source page is for a launch of {0} warps, not {1}. The problem size or schedule differs, so access sites are not compared.',
    counted.toLocaleString('en'),
    warps.toLocaleString('en'),
  );
}

/**
 * Returns the first file of the source page in which more than half of the lines equal the kernel
 * source; undefined if there is none.
 */
function kernelFile({ texts }: SourcePage, source: string): string | undefined {
  const lines = source.split('\n').map(line => line.trim());
  return [...texts].find(([, rows]) => {
    const same = [...rows].filter(([line, text]) => text !== '' && lines[line - 1] === text);
    return same.length > rows.size / 2;
  })?.[0];
}

function sitesOf({ analysis: { globalMemory, sharedMemory }, places }: CountedSites): Site[] {
  const placed = (space: Space, op: 'load' | 'store', name: string) =>
    places.get(siteKey(space, op, name));
  const global = globalMemory.flatMap(
    ({ site: name, op, widthBytes, requests, sectorsPerRequest }): Site[] => {
      const place = placed('global', op, name);
      const cost = requests * sectorsPerRequest;
      return place === undefined
        ? []
        : [{ ...place, name, space: 'global', op, widths: [widthBytes], requests, cost }];
    },
  );
  const shared = sharedMemory.flatMap(({ site: name, op, widthBytes, ...site }): Site[] => {
    const place = placed('shared', op, name);
    const { requests, wavefrontsPerRequest } = site.joined ?? site;
    const widths = [widthBytes, ...(site.joined === undefined ? [] : [site.joined.widthBytes])];
    const cost = requests * wavefrontsPerRequest;
    return place === undefined
      ? []
      : [{ ...place, name, space: 'shared', op, widths, requests, cost }];
  });
  return [...global, ...shared];
}

function siteAccesses(
  { instructions }: SourcePage,
  sites: readonly Site[],
  file: string | undefined,
): readonly SiteAccess[] {
  const ofSites = new Set(sites.flatMap(({ lines }) => [...lines]));
  return instructions.flatMap(instruction => {
    const { places, spaces, op, sectors, wavefronts } = instruction;
    const own = places.filter(place => place.file === file && ofSites.has(place.line));
    const common = {
      instruction,
      lines: own.map(({ line }) => line),
      inlined: places
        .filter(place => !own.includes(place))
        .map(place => `${place.file}:${place.line}`),
    };
    return spaces.map((space): SiteAccess => ({
      ...common,
      space,
      cost: space === 'global' ? sectors : wavefronts,
      op: op !== 'copy' ? op : space === 'global' ? 'load' : 'store',
    }));
  });
}

type Named = ReadonlyMap<SiteAccess, readonly Site[]>;

function candidatesOf(parts: readonly SiteAccess[], sites: readonly Site[]): Named {
  const sameSpaceAndOp = ({ space, op, instruction }: SiteAccess): readonly Site[] => {
    const same = sites.filter(site => site.space === space && site.op === op);
    const copied = filterOrAll(same, site => site.copied === (instruction.op === 'copy'));
    return filterOrAll(copied, ({ widths }) => widths.includes(instruction.widthBytes));
  };
  const onLine = (part: SiteAccess): readonly Site[] =>
    sameSpaceAndOp(part).filter(({ lines }) => part.lines.some(line => lines.has(line)));
  // The compiler attributes some instructions to the line of the call, and occasionally to a
  // neighboring line.
  const isSure = (part: SiteAccess): boolean =>
    part.inlined.length === 0
      ? onLine(part).length > 0
      : parts
          .filter(other => other.op === part.op && other.space === part.space)
          .filter(other => other.inlined.some(place => part.inlined.includes(place)))
          .every(other => onLine(other).length > 0);
  const sure = new Map(parts.filter(isSure).map(part => [part, onLine(part)]));
  const taken = new Set([...sure.values()].flat());
  return new Map(
    parts.map(part => [
      part,
      sure.get(part) ?? filterOrAll(sameSpaceAndOp(part), site => !taken.has(site)),
    ]),
  );
}

function filterOrAll(all: readonly Site[], holds: (site: Site) => boolean): readonly Site[] {
  const found = all.filter(holds);
  return found.length > 0 ? found : all;
}

interface Group {
  readonly sites: readonly Site[];
  readonly parts: readonly SiteAccess[];
}

function grouped(sites: readonly Site[], named: Named): readonly Group[] {
  let groups: Group[] = sites.map(site => ({ sites: [site], parts: [] }));
  for (const [part, candidates] of named) {
    const joined = groups.filter(group => group.sites.some(site => candidates.includes(site)));
    const foreign = groups.filter(
      ({ sites: [first], parts: [other] }) =>
        first === undefined && other?.space === part.space && other.op === part.op,
    );
    const into = candidates.length > 0 ? joined : foreign;
    const all = {
      sites: into.flatMap(of => of.sites),
      parts: [...into.flatMap(of => of.parts), part],
    };
    const at = into[0] === undefined ? groups.length : groups.indexOf(into[0]);
    groups = groups.flatMap(group =>
      group === into[0] ? [all] : into.includes(group) ? [] : [group],
    );
    if (at === groups.length) groups.push(all);
  }
  return groups;
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function rowOf({ sites, parts }: Group): SiteRow {
  const [first] = [...sites, ...parts];
  const ours = (of: (site: Site) => number): number | null =>
    sites.length === 0 ? null : Math.round(total(sites.map(of)));
  const requests = {
    ours: ours(site => site.requests),
    counted: total(parts.map(({ instruction }) => instruction.executed)),
  };
  const cost = { ours: ours(site => site.cost), counted: total(parts.map(part => part.cost)) };
  const widths = [...new Set(parts.map(({ instruction }) => instruction.widthBytes))];
  return {
    sites: sites.map(({ name }) => name),
    space: first?.space ?? 'shared',
    op: first?.op ?? 'load',
    requests,
    cost,
    widthsBytes: widths.sort((one, other) => other - one),
    why: isEqual(requests) && isEqual(cost) ? '' : whyOf({ sites, parts }, widths),
  };
}

export const isEqual = ({ ours, counted }: Compared): boolean => ours === counted;

function whyOf({ sites, parts }: Group, widths: readonly number[]): string {
  if (sites.length === 0)
    return t('The analysis has no site for these accesses. They may be register spills.');
  if (parts.length === 0)
    return t('The Nsight Compute source page has no instruction for this site.');
  // Nsight Compute 2025.3 omits the cost of predicated copies at the start of a kernel.
  const silent = parts.filter(({ cost, instruction }) => cost === 0 && instruction.lanes > 0);
  if (silent.length > 0) {
    return t(
      'Nsight Compute reports no wavefronts or sectors for {0} executed requests: {1}.',
      total(silent.map(({ instruction }) => instruction.executed)).toLocaleString('en'),
      [...new Set(silent.map(({ instruction }) => instruction.text))].join('; '),
    );
  }
  const known = sites.flatMap(site => site.widths);
  if (widths.some(width => !known.includes(width))) {
    return t(
      'The compiler emitted accesses of {0} bytes; the model assumes {1}.',
      widths.join(', '),
      [...new Set(known)].join(', '),
    );
  }
  if (sites.some(({ op, space }) => op === 'store' && space === 'shared') && isCopied(parts)) {
    return t(
      'Measured asynchronous copies with bank conflicts take up to two wavefronts more than modeled.',
    );
  }
  return t(
    'The model counts boundary tiles as full tiles. Without boundary tiles, the values should be equal.',
  );
}

const isCopied = (parts: readonly SiteAccess[]): boolean =>
  parts.some(({ instruction }) => /^(@!?U?P\d+ )?LDGSTS/.test(instruction.text));
