/**
 * Derives the access sites of a kernel without a spec from its PTX. Accesses with the same line,
 * expression, operation and width form a site.
 */
import { t } from '@vscode/l10n';
import type { GlobalAccess, SharedAccess, SourceLocation } from '../../memory/access';
import type { DrawnRequest } from '../../memory/drawnRequest';
import { passesThroughL1, SECTOR_BYTES, type RequestKind } from '../../memory/requestCost';
import type { Listing } from '../listing/instruction';
import { guessAnnotation } from '../../source/annotationGuess';
import type { Runnable } from '../../kernel/kernel';
import { WARP_LANES } from '../../hardware/warp';
import { EPILOGUE_OPERANDS } from '../../spec/epilogue';
import { operandOf as bufferOf, type GlobalOperand } from '../../spec/resolved';
import { parametersOf } from '../../kernel/ir/arguments';
import { DTYPE_BYTES } from '../../types/dtype';
import { traceWarps, type FollowOptions, type Trace, type Traced } from './traceWarps';
import { operandsOfShared } from './origins';
import { remedyPadding } from './padding';
import { limitsOf } from './limits';
import { notesOf } from './notes';
import { meanOf, priceOf, type Priced, type PricedShape } from './price';
import { namesOf, sourceAccess, type SourceAccess } from './sourceText';
import type { CompiledAccesses } from '../../memory/compiledAccesses';

export interface CompiledText {
  readonly ptx: string;
  readonly listing: Listing;
  readonly runnable: Runnable;
  /** Suffix of the path of the compiled source. */
  readonly file: string;
}

interface Group extends SourceAccess {
  readonly name: string;
  readonly space: 'global' | 'shared';
  readonly op: 'load' | 'store';
  readonly bytes: number;
  readonly target: string | undefined;
  readonly traced: readonly Traced[];
}

export function compiledAccesses(
  { ptx, listing, runnable, file }: CompiledText,
  options: FollowOptions = {},
): CompiledAccesses {
  const { problem, block, grid } = runnable;
  const trace = traceWarps({ text: ptx, listing, launch: runnable, problem }, options);
  const groups = groupsOf(trace, listing, runnable, file);
  const arrays = operandsOfShared(trace, listing);
  const sizes = sizesOf(runnable);
  const warpsOfGrid =
    grid.x * grid.y * grid.z * Math.ceil((block.x * block.y * block.z) / WARP_LANES);
  const ofGrid = (followed: number): number =>
    trace.cut > 0 ? NaN : Math.round((followed / trace.warps) * warpsOfGrid);
  const global: GlobalAccess[] = [];
  const shared: SharedAccess[] = [];
  let sharedBytes = 0;
  const pictures: DrawnRequest[] = [];
  for (const group of groups) {
    const { name, space, op, bytes, target } = group;
    const shapes = pricedShapes(group);
    const mean = meanOf(shapes);
    if (mean === null) continue;
    const operand = operandOf(group, arrays);
    const elementBytes = Math.min(bytes, DTYPE_BYTES[dtypeOf(operand, problem)]);
    const inElements = (distance: number | null): number | null =>
      distance === null ? null : distance / elementBytes;
    const all = group.traced.flatMap(({ tally }) => tally.all());
    const times = all.reduce((sum, shape) => sum + shape.times, 0);
    const common = {
      site: name,
      operand,
      op,
      widthBytes: bytes,
      requests: ofGrid(times),
      source: placeOf(group, inElements(mean.mostly), sizes),
    };
    if (space === 'global')
      global.push({ ...common, ...globalCost(mean), laneStride: inElements(mean.stride) });
    else {
      sharedBytes += bytes * all.reduce((sum, shape) => sum + shape.times * shape.lanes, 0);
      const remedy = remedyPadding(shapes, {
        name: target ?? '',
        bytes,
        op,
        text: runnable.source,
        elementBytes,
      });
      shared.push({ ...common, ...sharedCost(mean), curingPadding: remedy });
    }
    const throughL1 = space === 'shared' ? passesThroughL1(kindOf(group)) : 0;
    pictures.push(drawnRequestOf(common, { space, throughL1 }, shapes));
  }
  const limits = limitsOf(trace, listing, file);
  return {
    global,
    shared,
    pictures,
    warps: trace.warps,
    blocks: trace.blocks,
    globalBytes: global.reduce((sum, of) => sum + of.requests * of.usedBytesPerRequest, 0),
    sharedBytes: ofGrid(sharedBytes),
    limits,
    notes: notesOf({ global, shared, limits }),
  };
}

function sizesOf({
  source,
  entry,
  arguments: roles,
  problem,
}: Runnable): ReadonlyMap<string, number> {
  const names = guessAnnotation(source, entry, 'cuda')?.parameters ?? [];
  const values = parametersOf(problem);
  return new Map(
    roles.flatMap((role, i) => {
      const [name, value] = [names[i], typeof role === 'string' ? values[role] : undefined];
      const isSize = role !== 'alpha' && role !== 'beta';
      return name === undefined || value === undefined || !isSize ? [] : [[name, value] as const];
    }),
  );
}

/**
 * Returns the source location of an access and the name of a size argument that equals its lane
 * stride. Prefers an argument in the access expression.
 */
function placeOf(
  { line, code }: SourceAccess,
  laneStride: number | null,
  sizes: ReadonlyMap<string, number>,
): SourceLocation {
  const names = [...sizes]
    .filter(([, value]) => value > 1 && value === laneStride)
    .map(([name]) => name);
  const words: readonly string[] = code.match(/\w+/g) ?? [];
  const strideName = names.find(name => words.includes(name)) ?? names[0] ?? null;
  return { line, code, lanesApart: laneStride, apartName: strideName };
}

const globalCost = ({ cost, ideal, bytes }: Priced) => ({
  sectorsPerRequest: cost,
  idealSectors: ideal,
  usedBytesPerRequest: bytes,
  movedBytesPerRequest: cost * SECTOR_BYTES,
});

const sharedCost = ({ cost, ideal, unhindered }: Priced) => ({
  wavefrontsPerRequest: cost,
  idealWavefronts: ideal,
  conflictsPerRequest: cost - unhindered,
});

function groupsOf(
  { traced }: Trace,
  { instructions }: Listing,
  { source, entry, arguments: roles }: Runnable,
  file: string,
): readonly Group[] {
  const parameters = guessAnnotation(source, entry, 'cuda')?.parameters ?? [];
  const lines = source.split('\n');
  const groups = new Map<string, Group>();
  const aliases = new Map<string, readonly string[]>();
  const known = (name: string): readonly string[] => {
    const found = aliases.get(name) ?? namesOf(source, name);
    aliases.set(name, found);
    return found;
  };
  for (const one of traced) {
    const { at, access, space, target } = one;
    const instruction = instructions[at];
    if (instruction === undefined) continue;
    const { op, bytes } = access;
    const name =
      space === 'shared'
        ? (target ?? t('shared memory'))
        : (parameters[roles.findIndex(role => role === target)] ??
          target?.toUpperCase() ??
          t('global memory'));
    const place = sourceAccess(instruction, { names: known(name), op }, { lines, file });
    const key = `${space} ${op} ${place.line ?? ''} ${place.code} ${bytes}`;
    const group = groups.get(key);
    const site = place.line === null ? place.code : t('{0}, line {1}', place.code, place.line);
    groups.set(key, {
      ...place,
      space,
      op,
      bytes,
      target,
      name: group?.name ?? distinctName(site, groups, { op, space, bytes }),
      traced: [...(group?.traced ?? []), one],
    });
  }
  const lineOf = ({ line }: Group): number => line ?? Infinity;
  return [...groups.values()].sort((one, other) => lineOf(one) - lineOf(other) || 0);
}

/**
 * Returns a distinct site name. A vector access and its scalar remainder may be on the same line.
 */
function distinctName(
  site: string,
  groups: ReadonlyMap<string, Group>,
  { op, space, bytes }: Pick<Group, 'op' | 'space' | 'bytes'>,
): string {
  const isTaken = [...groups.values()].some(
    other => other.name === site && other.op === op && other.space === space,
  );
  return isTaken ? t('{0}, {1} bytes wide', site, bytes) : site;
}

const OPERANDS: readonly GlobalOperand[] = ['a', 'b', 'c', 'workspace', ...EPILOGUE_OPERANDS];

function operandOf(
  { space, target, traced: [first] }: Group,
  arrays: (access: Traced) => GlobalOperand | undefined,
): GlobalOperand {
  if (space === 'shared') return (first === undefined ? undefined : arrays(first)) ?? 'c';
  return OPERANDS.find(operand => operand === target) ?? 'c';
}

const dtypeOf = (operand: GlobalOperand, problem: Runnable['problem']) =>
  operand === 'workspace' ? problem.accumulator : bufferOf(problem, operand).dtype;

const kindOf = ({ traced, op, bytes }: Group): RequestKind => ({
  bytes,
  op: traced.every(({ access }) => access.stored.includes('cp.async')) ? 'copy' : op,
});

function pricedShapes(group: Group): readonly PricedShape[] {
  const { traced, space } = group;
  const kind = kindOf(group);
  const all = traced.flatMap(({ tally, access }) =>
    tally.all().map(shape => ({ shape, isFull: shape.lanes >= access.lanes })),
  );
  const full = all.filter(({ isFull }) => isFull);
  return (full.length > 0 ? full : all).map(({ shape }) => ({
    shape,
    priced: priceOf(shape.addresses, space, kind),
  }));
}

function drawnRequestOf(
  { site, op, operand, widthBytes }: Pick<GlobalAccess, 'site' | 'op' | 'operand' | 'widthBytes'>,
  { space, throughL1 }: Pick<DrawnRequest, 'space' | 'throughL1'>,
  shapes: readonly PricedShape[],
): DrawnRequest {
  const worstRequest = shapes.reduce((one, other) =>
    other.priced.cost > one.priced.cost ? other : one,
  );
  const { cost } = worstRequest.priced;
  const times = (of: readonly PricedShape[]): number =>
    of.reduce((sum, { shape }) => sum + shape.times, 0);
  return {
    site,
    op,
    operand,
    widthBytes,
    space,
    cost,
    throughL1,
    addresses: Array.from(worstRequest.shape.addresses, byte => (Number.isNaN(byte) ? null : byte)),
    share: times(shapes.filter(({ priced }) => priced.cost === cost)) / times(shapes),
  };
}
