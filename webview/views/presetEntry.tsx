/** Entry of a list of schedules: its name, then its tiles and rate, and a button to use it. */
import { t } from '@vscode/l10n';
import type { ComponentChildren, VNode } from 'preact';
import { formatRate } from '../format';
import { Button } from '../kit';
import { OriginTag, type Origin } from './figure';

export interface PresetEntryProps {
  readonly id: string;
  readonly name: ComponentChildren;
  readonly rate: { readonly gflops: number; readonly from: Origin } | null;
  /** Second line, such as the tiles, or the reason why the schedule is not legal. */
  readonly detail: string;
  /** Further facts, which the tooltip shows and screen readers expose. */
  readonly facts: readonly string[];
  readonly useLabel: string;
  readonly inUse: boolean;
  readonly disabled?: boolean;
  readonly onUse: () => void;
}

/** Each line is truncated at the width of the list. */
export function PresetEntry(props: PresetEntryProps): VNode {
  const { id, name, rate, detail, facts, useLabel, inUse, disabled = false, onUse } = props;
  return (
    <li title={facts.join('\n')}>
      <div id={id}>
        <p class="truncated">{name}</p>
        <p class="preset-facts">
          <span class="truncated hint">{detail}</span>
          {rate === null ? null : (
            <span>
              <span class="number">{formatRate(rate.gflops)}</span> <OriginTag from={rate.from} />
            </span>
          )}
        </p>
        <p class="visually-hidden">{facts.join('; ')}</p>
      </div>
      {inUse ? (
        <span class="in-use">{t('in use')}</span>
      ) : (
        <Button label={useLabel} describedBy={id} disabled={disabled} onPress={onUse}>
          {t('Use')}
        </Button>
      )}
    </li>
  );
}
