/**
 * Layout expressions: values as CuTe documents them, and what is wrong with those that have none.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { evaluateLayout } from '../../../src/core/layout/evaluate';
import { OPERATIONS } from '../../../src/core/layout/operations';
import { tupleText } from '../../../src/core/layout/intTuple';
import { textOf } from '../../../src/core/layout/layout';
import { ExpressionError } from '../../../src/core/layout/tokens';
import { errorText, reportOf, reportText } from '../../../src/core/layout/print';
import { runs } from '../../helpers/depth';

const value = (text: string): string => {
  const found = evaluateLayout(text);
  if (found.kind === 'tuple') return tupleText(found.value);
  return `${textOf(found.layout)}${found.offset === 0 ? '' : ` + ${found.offset}`}`;
};

describe('layout expressions', () => {
  const values: readonly (readonly [string, string])[] = [
    ['((2,4),8):((1,16),2)', '((2,4),8):((1,16),2)'],
    [' ( _2 , 4 ) : (1, _2)', '(2,4):(1,2)'],
    ['8', '8:1'],
    ['(8)', '(8):(1)'],
    ['(4,(2,3),)', '(4,(2,3)):(1,(4,8))'],
    ['row((4,(2,3)))', '(4,(2,3)):(6,(3,1))'],
    ['layout(4:1, 8:4)', '(4,8):(1,4)'],
    ['size((8,8):(1,8))', '64'],
    ['cosize((8,8):(1,9))', '71'],
    ['at((8,8):(1,9), (3,2))', '21'],
    ['at((8,(4,2)), (3,(1,_)))', '2:32 + 11'],
    ['coord((8,(4,2)), 37)', '(5,(0,1))'],
    ['coalesce((2,(1,6)):(1,(6,2)))', '12:1'],
    ['flatten(((2,4),8):((1,16),2))', '(2,4,8):(1,16,2)'],
    ['compose((8,8):(1,8), (4,2):(2,1))', '(4,2):(2,1)'],
    ['composition((6,2):(8,2), (4,3):(3,1))', '((2,2),3):((24,2),8)'],
    ['compose(20:2, (5,4):(4,1))', '(5,4):(8,2)'],
    ['compose((10,2):(16,4), (5,4):(1,5))', '(5,(2,2)):(16,(80,4))'],
    ['compose((12,(4,8)):(59,(13,1)), (3:4, 8:2))', '(3,(2,4)):(236,(26,1))'],
    ['complement(4:1, 24)', '6:4'],
    ['complement(6:4, 24)', '4:1'],
    ['complement((2,2):(1,6), 24)', '(3,2):(2,12)'],
    ['divide((4,2,3):(2,1,8), 4:2)', '((2,2),(2,3)):((4,1),(2,8))'],
    [
      'divide((9,(4,8)):(59,(13,1)), (3:3, (2,4):(1,8)))',
      '((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))',
    ],
    ['product((2,2):(4,1), 6:1)', '((2,2),(2,3)):((4,1),(2,8))'],
    ['raked_product((2,5):(5,1), (3,4):(1,3))', '((3,2),(4,5)):((10,5),(30,1))'],
    ['inverse((4,8):(8,1))', '(8,4):(4,1)'],
    ['tile((8,8):(1,8), (4,4))', '((4,4),(2,2)):((1,8),(4,32))'],
    ['tile((8,8):(1,8), (4,4), (1,1))', '(4,4):(1,8) + 36'],
    // The CuTe tutorial's gA and gC, for block (3, 5).
    [
      'local_tile((5120,4096):(1,5120), (128,128,8), (3,5,_), (1,X,1))',
      '(128,8,512):(1,5120,40960) + 384',
    ],
    [
      'local_tile((5120,5120):(1,5120), (128,128,8), (3,5,_), (1,1,X))',
      '(128,128):(1,5120) + 3277184',
    ],
    ['tile((1000,1000):(1,1000), (128,8), (0,_))', '(128,8,125):(1,1000,8000)'],
    ['partition((128,8):(1,128), (32,8):(1,32), 37)', '(4,1):(32,0) + 133'],
  ];
  for (const [text, expected] of values) {
    it(`${text} is ${expected}`, () => {
      assert.equal(value(text), expected);
    });
  }

  const wrong: readonly (readonly [string, number, RegExp])[] = [
    ['', 1, /Expected a number, a tuple .*the expression ends/],
    ['(4,2', 5, /"," or "\)" in the tuple that begins at column 1/],
    ['(4;2)', 3, /found ";"/],
    ['size(8', 7, /the call of size/],
    ['()', 1, /at least one element/],
    ['(4,2)):1', 6, /Expected the end/],
    ['(4,2):(1,2,3)', 1, /have different profiles/],
    ['4:-1', 3, /Negative numbers are not supported/],
    ['0:1', 1, /An extent must be at least 1/],
    ['(4,_)', 4, /Expected a number or a tuple/],
    ['foo(3)', 1, /Unknown operation foo. Supported: size, /],
    ['constructor(3)', 1, /Unknown operation/],
    ['size', 1, /Expected "\(" after size/],
    ['size(4, 4)', 1, /expects 1 argument, got 2/],
    ['compose(size(4), 8)', 9, /size does not return a layout/],
    ['size((4:1, 8:4))', 6, /write layout\(4:1, 8:4\)/],
    ['compose((4,2):(1,9), 3:3)', 1, /do not compose: mode 3:3 of the second layout/],
    ['size(compose((4,2):(1,9), (3,2):(1,2)))', 6, /the combination of modes in the second layout/],
    ['complement((4,4):(1,2), 64)', 1, /has no complement/],
    ['tile((8,8), (4,4,4))', 1, /has 2 modes, but the tile has 3/],
    ['tile((8,8), (4,4), (2,0))', 1, /2 is not a coordinate/],
    ['tile((8,8), (4,4), (0,0,0))', 1, /has 2 modes, not 3/],
    ['at((8,8), 64)', 1, /64 is not a coordinate/],
    ['coord((8,8), 64)', 1, /Index 64 is out of range/],
    ['partition((8,8), (4,4):(1,1), 3)', 1, /each of the threads 0 to 15 once/],
    ['(1000000000,1000000000)', 1, /larger than 2\^53/],
    ['99999999999999999999', 1, /too large/],
    [`${'('.repeat(60)}1`, 52, /Nested deeper/],
    ['1'.repeat(10_001), 10_001, /at most 10000 characters/],
  ];
  for (const [text, column, message] of wrong) {
    it(`says where ${text.slice(0, 40) || 'nothing'} is wrong`, () => {
      assert.throws(
        () => evaluateLayout(text),
        (error: unknown) => {
          assert.ok(error instanceof ExpressionError, String(error));
          assert.match(error.message, message);
          assert.equal(error.span.start + 1, column);
          assert.ok(error.span.end > error.span.start);
          return true;
        },
      );
    });
  }

  it('answers or refuses anything that is typed', () => {
    const words = fc.constantFrom(
      '(',
      ')',
      ',',
      ':',
      '_',
      'X',
      '0',
      '1',
      '2',
      '4',
      '8',
      ' ',
      ...Object.keys(OPERATIONS).map(name => `${name}(`),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(words).map(parts => parts.join('')),
        ),
        text => {
          try {
            reportText(reportOf(text));
          } catch (error) {
            assert.ok(error instanceof ExpressionError, String(error));
            assert.match(errorText(text, error), /^Column \d+: /);
          }
        },
      ),
      { ...runs(1000) },
    );
  });

  it('prints offsets as a table, rows of the first mode', () => {
    const report = reportOf('(2,4):(4,1)');
    assert.ok('table' in report);
    assert.deepEqual(report.table, [
      [0, 1, 2, 3],
      [4, 5, 6, 7],
    ]);
    assert.equal(
      reportText(report),
      [
        '(2,4):(4,1)',
        'size 8, cosize 8, rank 2, depth 1: each offset once, without gaps',
        '',
        '    0   1   2   3',
        '  +---+---+---+---+',
        '0 | 0 | 1 | 2 | 3 |',
        '  +---+---+---+---+',
        '1 | 4 | 5 | 6 | 7 |',
        '  +---+---+---+---+',
      ].join('\n'),
    );
  });

  it('tabulates 4,096 elements, and of more a corner', () => {
    const [all, more] = [reportOf('(64,64)'), reportOf('(64,65)')];
    assert.ok('table' in all && 'table' in more);
    assert.equal(all.table?.length, 64);
    assert.equal(more.table, null);
    assert.match(reportText(more), /the table has 64 x 65 offsets\.$/);
  });
});
