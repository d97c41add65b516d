/**
 * Transposing copy through shared-memory tiles. A warp loads 32 consecutive elements of a row and
 * stores 32 words of 4 bytes to the copy. Elements shorter than 4 bytes are loaded from as many
 * rows as fill a word. Tile rows are padded by one word, so that stores and loads have no bank
 * conflicts.
 */
import { WARP_LANES } from '../../hardware/warp';
import { add, blockIdx, constant, div, int, mod, mul, threadIdx, variable } from '../ir/expr';
import type { Condition, Expr, NamedConstant, SharedElement, Statement } from '../ir/ir';
import {
  COPY_THREADS,
  declaringWords,
  loadedWord,
  loadingWord,
  wordOf,
  type CopiedOperand,
  type CopyKernel,
  type Word,
} from './copied';
import { BLANK, comment, declare, forLoop, onlyIf } from './loops';

const TURN = constant('TRANSPOSE_TILE');
const WARPS = div(COPY_THREADS, int(WARP_LANES));
const [side, depth, lane, warp] = [
  variable('firstRow'),
  variable('firstK'),
  variable('lane'),
  variable('warp'),
];
const [line, column, step] = [variable('line'), variable('column'), variable('step')];

/**
 * Returns the transposing copy kernel. Rows of the copy are rows of A or columns of B; K is
 * contiguous.
 */
export function transposing(copied: CopiedOperand): CopyKernel {
  const { operand, dtype, extents, storing } = copied;
  const word = wordOf(dtype);
  const { length, elements } = word;
  const turn = WARP_LANES * length;
  const [sides, depths] = extents;
  const array = { a: 'As', b: 'Bs' }[operand];
  const at = (op: 'load' | 'store', outer: Expr, inner: Expr): SharedElement => ({
    op: 'shared',
    site: { name: `${array} ${op}`, operand },
    array,
    outer,
    inner,
  });
  const ofWord = mul(lane, elements);
  const constants: readonly NamedConstant[] = [
    { name: 'TRANSPOSE_TILE', value: turn, comment: 'rows and columns of a transposed tile' },
    ...word.constants,
  ];
  return {
    constants,
    shared: [
      {
        name: array,
        dtype,
        outer: TURN,
        inner: add(TURN, elements),
        ...(length === 1 ? {} : { vector: length }),
      },
    ],
    blocks: { x: Math.ceil(sides / turn), y: Math.ceil(depths / turn) },
    body: [
      declare('lane', mod(threadIdx('x'), int(WARP_LANES))),
      declare('warp', div(threadIdx('x'), int(WARP_LANES))),
      declare('firstRow', mul(blockIdx('x'), TURN)),
      declare('firstK', mul(blockIdx('y'), TURN)),
      comment(
        'Coalesced load: 32 consecutive elements become a column of the tile, whose row padding avoids bank conflicts.',
      ),
      forLoop(
        'step',
        TURN,
        [
          declare('column', add(step, mul(warp, elements))),
          ...(length === 1
            ? loadingElement(copied, at('store', lane, column))
            : loadingWords(copied, word, row => at('store', row, column))),
        ],
        { step: mul(elements, WARPS), unroll: true },
      ),
      { op: 'barrier' },
      BLANK,
      comment('Coalesced store: rows of the tile become rows of the copy.'),
      forLoop(
        'step',
        TURN,
        [
          declare('line', add(step, warp)),
          ...onlyIf(
            inside(copied, line, ofWord),
            storing(at('load', line, ofWord), {
              outer: add(side, line),
              inner: add(depth, ofWord),
              width: length,
            }),
          ),
        ],
        { step: WARPS, unroll: true },
      ),
    ],
  };
}

const inside = ({ sides: [sides, depths] }: CopiedOperand, row: Expr, inRow: Expr): Condition => [
  { left: add(side, row), right: sides },
  { left: add(depth, inRow), right: depths },
];

const loadingElement = (copied: CopiedOperand, to: SharedElement): readonly Statement[] =>
  onlyIf(inside(copied, lane, column), [
    {
      op: 'assign',
      place: to,
      value: copied.loaded(add(depth, column), add(side, lane)),
    },
  ]);

/**
 * Loads one word of elements per lane for each group of 32 tile rows; elements outside the matrix
 * are zero.
 */
function loadingWords(
  copied: CopiedOperand,
  word: Word,
  to: (row: Expr) => SharedElement,
): readonly Statement[] {
  const { length, elements } = word;
  const [part, row] = [variable('group'), variable('row')];
  return [
    forLoop(
      'group',
      elements,
      [
        declare('row', add(mul(part, int(WARP_LANES)), lane)),
        declaringWords(copied.dtype, word, elements),
        loadingWord(word, i => ({
          inside: inside(copied, row, add(column, i)),
          value: copied.loaded(add(depth, add(column, i)), add(side, row)),
        })),
        { op: 'assign', place: to(row), value: loadedWord(), width: length },
      ],
      { unroll: true },
    ),
  ];
}
