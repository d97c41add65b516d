/** Input fields for the range of the size sweep. An empty field uses the default. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { MAX_DIMENSION } from '../../src/core/spec/schema';
import type { Range } from '../../src/core/search/sweep/sweepSizes';
import { formatNumber } from '../format';
import { rangeOf, type RangeText } from './sweepRange';

export interface RangeFieldsProps {
  readonly written: RangeText;
  readonly own: Range;
  readonly onWrite: (written: RangeText) => void;
}

export function RangeFields({ written, own, onWrite }: RangeFieldsProps): VNode {
  const bad = rangeOf(written, own) === null;
  const names = { from: t('from size'), to: t('to size') };
  return (
    <>
      {(['from', 'to'] as const).map(end => (
        <label key={end} class="range-end">
          {names[end]}
          <input
            id={`sweep-${end}`}
            type="number"
            inputMode="numeric"
            step="any"
            autocomplete="off"
            placeholder={String(own[end])}
            value={written[end]}
            aria-invalid={bad}
            aria-describedby="sweep-range-bad"
            onInput={event => {
              const { value, validity } = event.currentTarget;
              // An input with an invalid number has an empty value, which must not be read as the
              // default.
              onWrite({ ...written, [end]: validity.badInput ? '-' : value });
            }}
          />
        </label>
      ))}
      <p id="sweep-range-bad" role="status" class="hint">
        {bad
          ? t(
              'Enter two increasing sizes from 1 to {0}. The chart shows the previous range.',
              formatNumber(MAX_DIMENSION),
            )
          : ''}
      </p>
    </>
  );
}
