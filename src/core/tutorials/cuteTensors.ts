/** Rows of the CuTe tutorial that the layout algebra computes: tensors and thread layouts. */
import { t } from '@vscode/l10n';
import { DEFAULT_DEVICE } from '../hardware/devices';
import { isLowered } from '../kernel/kernel';
import { tupleText } from '../layout/intTuple';
import { reportOf } from '../layout/print';
import { CUTE, CUTE_PROBLEM, transposed, type Transposes } from './cuteKernels';
import { subjectOf } from './subject';
import type { Row, Value } from './tutorial';

/** Returns a tensor as the head of the generated kernel prints it, in CuTe's notation. */
export function headLayout(name: string, transposes: Transposes = 'NT'): string {
  const { kernel } = subjectOf(transposed(CUTE_PROBLEM, transposes), CUTE, DEFAULT_DEVICE);
  const lines = isLowered(kernel) ? kernel.ir.summary : [];
  const line = lines.find(text => text.trim().startsWith(`${name} `));
  return line?.trim().slice(name.length + 1) ?? '';
}

/** Evaluates a layout expression: `shape:stride at OFFSET`, or a number. */
export function evaluated(expression: string): string {
  const report = reportOf(expression);
  if ('value' in report) return tupleText(report.value);
  const { layout, offset } = report;
  return offset === 0 ? layout : t('{0} at offset {1}', layout, offset);
}

const GLOBAL_A = '(5120,4096):(1,5120)';
const TILES = '(128,8,512):(1,5120,40960)';
const SHARED = '(128,8):(1,128)';
const THREADS = '(32,8):(1,32)';
const THREADS_C = '(16,16):(1,16)';
/** Thread whose parts of the tensors are shown: threads differ in both modes of tA and tC. */
const THREAD = 37;

export const cuteTensorRows = (): readonly Row[] => [
  printed('001.6', 'mA', '(5120,4096):(_1,5120)'),
  {
    ...printed('001.13', 'mB', '(5120,4096):(_1,5120)'),
    note: t('An underscore marks a compile-time constant.'),
  },
  printed('001.31', 'gA', '(_128,_8,512):(_1,5120,40960)'),
  printed('001.31', 'gB', '(_128,_8,512):(_1,5120,40960)'),
  printed('001.32', 'gC', '(_128,_128):(_1,5120)'),
  printed('001.22', 'sA', '(_128,_8):(_1,_128)'),
  printed('001.22', 'sB', '(_128,_8):(_1,_128)'),
  printed('001.25', 'tA', '(_32,_8):(_1,_32)'),
  printed('001.25', 'tB', '(_32,_8):(_1,_32)'),
  printed('001.25', 'tC', '(_16,_16):(_1,_16)'),
  algebra('001.23', 'sC', t('Layout of the tile of C'), '(128,128):(1,128)', '(128,128)'),
  algebra('001.24', 'cosize', t('Elements of the buffer of sA'), '1024', `cosize(${SHARED})`),
  algebra('001.26', 'threadOf', t('Thread of C(3,2)'), '35', `at(${THREADS_C}, (3,2))`),
  algebra(
    '001.15',
    'offset',
    t('Offset of A(7,11)'),
    '56327',
    `at(${GLOBAL_A}, (7,11))`,
    t('7 * 1 + 11 * ldA'),
  ),
  algebra(
    '001.29',
    'localTile',
    t('local_tile of A with Step (1,X,1)'),
    TILES,
    `tile(${GLOBAL_A}, (128,128,8), (0,0,_), (1,X,1))`,
  ),
  algebra(
    '001.30',
    'blockCoordinate',
    t('The same for block (1,2)'),
    null,
    `tile(${GLOBAL_A}, (128,128,8), (1,2,_), (1,X,1))`,
  ),
  algebra(
    '001.20',
    'slice',
    t('Slice k = 3 of gA, at 3 * 40960'),
    '(128,8):(1,5120) at offset 122880',
    `at(${TILES}, (_,_,3))`,
  ),
  algebra(
    '001.38',
    'nested',
    t('A with a nested M mode, as in a tensor contraction (GETT)'),
    GLOBAL_A,
    'coalesce_modes(((64,80),4096):((1,64),5120))',
  ),
  part('tAsA', `partition(${SHARED}, ${THREADS}, ${THREAD})`),
  part('tAgA', `partition(${TILES}, ${THREADS}, ${THREAD})`),
  part('tCsA', `partition(${SHARED}, 16:1, 5)`),
  part('tCsB', `partition(${SHARED}, 16:1, 2)`),
  part('tCgC', `partition((128,128):(1,5120), ${THREADS_C}, ${THREAD})`),
  algebra(
    '001.33',
    'source',
    t('Layout of the source text of the tutorial'),
    THREADS,
    'make_layout(make_shape(Int<32>{}, Int< 8>{}))',
  ),
];

const printed = (row: string, name: string, theirs: string): Row => ({
  row,
  id: name,
  text: t('{0} as CuTe prints it', name),
  kind: 'equal',
  theirs,
  ours: () => headLayout(name),
});

const algebra = (
  row: string,
  id: string,
  text: string,
  theirs: Value | null,
  expression: string,
  note = expression,
): Row => ({ row, id, text, kind: 'equal', theirs, ours: () => evaluated(expression), note });

const part = (name: string, expression: string): Row => ({
  row: '001.34',
  id: name,
  text: t('{0} of thread {1}', name, THREAD),
  kind: 'equal',
  theirs: null,
  ours: () => evaluated(expression),
  note: expression,
});
