/** Numbers follow the language of the texts; what programs read does not. */
import assert from 'node:assert/strict';
import { config } from '@vscode/l10n';
import { grouped, precise, scientific, short, significant } from '../../../src/core/text/numbers';
import { plan } from '../../../src/core/plan/planner';
import { emit } from '../../../src/core/kernel/emit';
import { resolve } from '../../../src/core/defaults/resolve';

/** The notation of numbers is a translated text. */
const german = { '33,792.5': '33.792,5' };

describe('language', () => {
  afterEach(() => {
    config({ contents: {} });
  });

  const numbers = () => [
    grouped(33792),
    significant(0.12345),
    precise(12.5),
    short(1.25),
    scientific(1.25e-7),
    scientific(-2e20),
    grouped(-1234567),
    grouped(2 ** 70),
    precise(123456),
  ];

  it('is English without a bundle', () => {
    assert.deepEqual(numbers(), [
      '33,792',
      '0.123',
      '12.5',
      '1.3',
      '1.25e-7',
      '-2.00e20',
      '-1,234,567',
      '1,180,591,620,717,411,303,424',
      '123,456',
    ]);
  });

  it('writes numbers in the notation of the bundle', () => {
    config({ contents: german });
    assert.deepEqual(numbers(), [
      '33.792',
      '0,123',
      '12,5',
      '1,3',
      '1,25e-7',
      '-2,00e20',
      '-1.234.567',
      '1.180.591.620.717.411.303.424',
      '123.456',
    ]);
  });

  it('leaves kernels as they are', () => {
    const spec = resolve({
      problem: { m: 2048, n: 2048, k: 2048, alpha: 1.5 },
      schedule: { algorithm: 'shared-tile' },
    });
    const text = () => {
      const planned = plan(spec, 'cuda');
      assert.ok(planned.ok);
      return emit(planned.plan).source;
    };
    const english = text();
    config({ contents: german });
    assert.equal(text(), english);
  });
});
