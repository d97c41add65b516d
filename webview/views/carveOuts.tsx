/** Shared-memory carve-out of an SM for the current kernel, with the alternatives. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { chosenCarveOut, type CarveOut } from '../../src/core/occupancy/carveOuts';
import { formatNumber } from '../format';
import { Disclosure } from './disclosure';
import { Table } from './figure';

const kib = (value: number): string => `${formatNumber(value)} KiB`;

export function CarveOuts({ all }: { readonly all: readonly CarveOut[] }): VNode | null {
  const chosen = chosenCarveOut(all);
  if (chosen === null) return null;
  return (
    <Disclosure
      summary={t('Shared-memory carve-out: {0}, L1 {1}', kib(chosen.sharedKiB), kib(chosen.l1KiB))}
    >
      {() => (
        <>
          <p class="hint">
            {t('The smallest carve-out for {0} blocks/SM is assumed.', chosen.blocksPerSm)}
          </p>
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
        </>
      )}
    </Disclosure>
  );
}
