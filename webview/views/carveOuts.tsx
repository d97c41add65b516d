/** How an SM's memory is divided between shared memory and L1 for a kernel, and how it could be. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { chosenCarveOut, type CarveOut } from '../../src/core/occupancy/carveOuts';
import { formatNumber } from '../format';
import { Disclosure } from './disclosure';
import { OriginTag, Table } from './figure';

const kib = (value: number): string => `${formatNumber(value)} KiB`;

export function CarveOuts({ all }: { readonly all: readonly CarveOut[] }): VNode | null {
  const chosen = chosenCarveOut(all);
  if (chosen === null) return null;
  return (
    <>
      <dl class="facts">
        <dt>{t('shared memory an SM')}</dt>
        <dd>
          <span class="number">{kib(chosen.sharedKiB)}</span> <OriginTag from="derived" />{' '}
          <span class="hint">{t('the least that holds {0} blocks/SM', chosen.blocksPerSm)}</span>
        </dd>
        <dt>{t('left to L1')}</dt>
        <dd>
          <span class="number">{kib(chosen.l1KiB)}</span> <OriginTag from="derived" />
        </dd>
      </dl>
      <Disclosure summary={t('Every division of an SM between shared memory and L1')}>
        {() => (
          <Table
            caption={t('Carve-outs that hold a block')}
            columns={[t('shared memory'), t('left to L1'), t('blocks/SM')]}
            numeric={[0, 1, 2]}
            rows={all.map(({ sharedKiB, l1KiB, blocksPerSm }) => [
              kib(sharedKiB),
              kib(l1KiB),
              blocksPerSm,
            ])}
          />
        )}
      </Disclosure>
    </>
  );
}
