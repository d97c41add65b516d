/** Repacking copy: rows keep their order and receive a padded leading dimension. */
import { WARP_LANES } from '../../hardware/warp';
import { REPACK_THREADS, REPACK_WORDS } from '../../plan/wgmma/wgmma';
import { add, blockIdx, constant, div, mod, mul, threadIdx, variable } from '../ir/expr';
import type { Condition, Expr, Statement } from '../ir/ir';
import {
  COPY_THREADS,
  declaringWords,
  loadedWord,
  loadingWord,
  type CopiedOperand,
  type CopyKernel,
} from './copied';
import { comment, declare, forLoop, onlyIf } from './loops';

const COPY_WORDS = constant('COPY_WORDS');

/** Returns the name of the number of threads that copy one row, which divides COPY_THREADS. */
export const rowThreadsName = (operand: 'a' | 'b'): string =>
  `${operand.toUpperCase()}_ROW_THREADS`;

/** Returns the least power of two, at least a warp, with at most `REPACK_WORDS` per thread. */
const rowThreads = (words: number): number =>
  Math.min(REPACK_THREADS, Math.max(WARP_LANES, 2 ** Math.ceil(Math.log2(words / REPACK_WORDS))));

/** Repacks with unchanged layout. Each thread copies `COPY_WORDS` words of one row. */
export function copying({
  operand,
  dtype,
  loaded,
  storing,
  sides,
  extents: [lines, elements],
  word,
}: CopiedOperand): CopyKernel {
  const [line, first, step] = [variable('line'), variable('start'), variable('step')];
  const position = variable('element');
  const words = Math.ceil(elements / word.length);
  const threads = rowThreads(words);
  const perRow = constant(rowThreadsName(operand));
  const insideRow = (element: Expr): Condition => [
    { left: line, right: sides[0] },
    { left: element, right: sides[1] },
  ];
  const { length: width } = word;
  const start = mul(step, word.elements);
  const declared = declare('element', mul(add(first, mul(step, perRow)), word.elements));
  const unrolled = (body: readonly Statement[]): Statement =>
    forLoop('step', COPY_WORDS, [declared, ...body], { unroll: true });
  const at = { outer: line, inner: position };
  const load: readonly Statement[] = word.isAligned
    ? onlyIf(insideRow(position), [
        { op: 'assign', place: loadedWord(start), value: loaded(line, position), width },
      ])
    : [
        loadingWord(
          word,
          i => ({
            inside: insideRow(add(position, i)),
            value: loaded(line, add(position, i)),
          }),
          start,
        ),
      ];
  return {
    constants: [
      {
        name: rowThreadsName(operand),
        value: threads,
        comment: `threads per row of ${operand.toUpperCase()} in its repacking kernel`,
      },
      {
        name: 'COPY_WORDS',
        value: REPACK_WORDS,
        comment: 'words per thread of the repacking kernels',
      },
      ...word.constants,
    ],
    shared: [],
    blocks: {
      x: Math.ceil(lines / (REPACK_THREADS / threads)),
      y: Math.ceil(words / (threads * REPACK_WORDS)),
    },
    body: [
      declare(
        'line',
        add(mul(blockIdx('x'), div(COPY_THREADS, perRow)), div(threadIdx('x'), perRow)),
      ),
      declare(
        'start',
        add(mul(mul(blockIdx('y'), COPY_WORDS), perRow), mod(threadIdx('x'), perRow)),
      ),
      ...(width === 1
        ? [unrolled(onlyIf(insideRow(position), storing(loaded(line, position), at)))]
        : [
            comment('All loads precede the stores, so that many of them are in flight.'),
            declaringWords(dtype, word, mul(COPY_WORDS, word.elements)),
            unrolled(load),
            unrolled(onlyIf(insideRow(position), storing(loadedWord(start), { ...at, width }))),
          ]),
    ],
  };
}
