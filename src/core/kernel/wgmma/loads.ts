/** TMA loads of the tiles of A and B, into shared memory or into the L2 cache. */
import { weightsOf } from '../../plan/wgmma/weightPrefetch';
import { flagsOf, panelRow, panelSide, prefetches, type PlanWithWgmma } from './parts';

/** Returns the loads of the weights of a k-iteration into the L2 cache. */
export const weightLoads = (plan: PlanWithWgmma): readonly string[] =>
  prefetches(plan) ? loadsOf(plan, NAMES[weightsOf(plan.spec.problem)], 'l2') : [];

export const loads = (plan: PlanWithWgmma): readonly string[] => [
  ...loadsOf(plan, NAMES.a),
  ...(flagsOf(plan).GATED
    ? [...loadsOf(plan, { ...NAMES.b, ...GATED_B }), ...loadsOf(plan, { ...NAMES.b, ...SECOND_B })]
    : loadsOf(plan, NAMES.b)),
];

/** Names of an operand in the kernel source, and how the cluster divides its multicast loads. */
const NAMES = {
  a: {
    operand: 'a',
    to: 'a',
    map: 'mapA',
    bytes: 'A_BYTES',
    side: 'BM',
    first: 'tile.m',
    rank: 'blockN',
    sharers: 'rowMask',
    count: 'CLUSTER_N',
  },
  b: {
    operand: 'b',
    to: 'b',
    map: 'mapB',
    bytes: 'B_BYTES',
    side: 'BN',
    first: 'tile.n',
    rank: 'blockM',
    sharers: 'columnMask',
    count: 'CLUSTER_M',
  },
} as const;

/** With a gate, the tiles of B and of the second B have half of the bytes each. */
const GATED_B = { bytes: 'B_BYTES / 2' } as const;
const SECOND_B = { ...GATED_B, to: 'b + B_BYTES / 2', map: 'mapB2' } as const;

type LoadNames = { readonly operand: 'a' | 'b' } & Readonly<
  Record<'to' | 'map' | 'bytes' | 'side' | 'first' | 'rank' | 'sharers' | 'count', string>
>;

function loadsOf(
  plan: PlanWithWgmma,
  { operand, to, map, bytes, side, first, rank, sharers, count }: LoadNames,
  into: 'shared' | 'l2' = 'shared',
): readonly string[] {
  const { major, share } = plan.wgmma[operand];
  const isShared = share > 1;
  const behind = (each: string): string => (isShared ? ` + ${rank} * (${each})` : '');
  const { EMULATED, BATCHED } = flagsOf(plan);
  const piece = operand === 'a' ? ', termA' : ', termB';
  const product = EMULATED ? piece : BATCHED ? ', tile.batch' : '';
  const load = (place: string, x: string, y: string): string => {
    if (into === 'l2') return `tmaPrefetch(${map}, ${x}, ${y}${product});`;
    return isShared
      ? `tmaLoadMulticast(${place}, ${map}, barrier, ${sharers}, ${x}, ${y}${product});`
      : `tmaLoad(${place}, ${map}, barrier, ${x}, ${y}${product});`;
  };
  if (major === 'k') {
    const place = `${to}${behind(`${bytes} / ${count}`)}`;
    return [load(place, 'k', `${first}${behind(`${side} / ${count}`)}`)];
  }
  const panel = `${to} + panel * (BK * ${panelRow(operand)})${behind(`BK / ${count} * ${panelRow(operand)}`)}`;
  return [
    `for (int panel = 0; panel < ${side} / ${panelSide(operand)}; ++panel) {`,
    `  ${load(panel, `${first} + panel * ${panelSide(operand)}`, `k${behind(`BK / ${count}`)}`)}`,
    '}',
  ];
}
