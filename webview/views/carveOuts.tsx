/** Shared-memory carve-out of an SM for the current kernel, with the alternatives. */
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
        <dt>{t('shared memory per SM')}</dt>
        <dd>
          <span class="number">{kib(chosen.sharedKiB)}</span> <OriginTag from="derived" />{' '}
          <span class="hint">{t('smallest carve-out for {0} blocks/SM', chosen.blocksPerSm)}</span>
        </dd>
        <dt>{t('remaining L1')}</dt>
        <dd>
          <span class="number">{kib(chosen.l1KiB)}</span> <OriginTag from="derived" />
        </dd>
      </dl>
      <Disclosure summary={t('Shared-memory carve-outs')}>
        {() => (
          <Table
            caption={t('Carve-outs that fit a block')}
            columns={[t('shared memory'), t('remaining L1'), t('blocks/SM')]}
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
