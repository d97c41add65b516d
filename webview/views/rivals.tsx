/**
 * Rates beside the prediction: the newest run, the pinned configuration, the tables, the library.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import type { FastestKnown } from '../../src/core/defaults/fastestKnown';
import type { ResolvedSchedule } from '../../src/core/spec/resolved';
import { formatRate } from '../format';
import { Button } from '../kit';
import { OriginTag, Table, type Origin } from './figure';

export interface Rival {
  readonly name: string;
  readonly gflops: number;
  readonly from: Origin;
}

export interface RivalsProps {
  /** Machine of all rates. */
  readonly machine: string;
  readonly predicted: Rival;
  readonly others: readonly Rival[];
  /** Null without a measurement of a similar problem on this machine. */
  readonly known: FastestKnown | null;
  readonly onUse: (schedule: ResolvedSchedule) => void;
}

/** Returns the libraries that a name lists, such as "cuBLAS 13.1.0", without their settings. */
function shortName(name: string): string {
  const libraries = name.match(/cuBLAS(?:Lt)? [\d.]+\d/g);
  return libraries === null ? name : libraries.join(', ');
}

export function Rivals({ machine, predicted, others, known, onUse }: RivalsProps): VNode {
  const library = known?.library ?? null;
  const rows: readonly Rival[] = [
    predicted,
    ...others,
    ...(known === null
      ? []
      : [{ name: t('fastest known'), gflops: known.rate.value, from: known.rate.from }]),
    ...(library === null
      ? []
      : [{ name: shortName(library.name), gflops: library.rate.value, from: library.rate.from }]),
  ];
  const base = others.find(({ from }) => from === 'measured') ?? predicted;
  return (
    <div class="rivals">
      <Table
        caption={t('Rates on {0}', machine)}
        columns={[
          t('kernel'),
          t('rate'),
          base === predicted ? t('vs predicted') : t('vs newest run'),
        ]}
        numeric={[1, 2]}
        rows={rows.map(({ name, gflops, from }) => [
          name,
          <>
            {formatRate(gflops)} <OriginTag from={from} />
          </>,
          `${(gflops / base.gflops).toFixed(2)}x`,
        ])}
      />
      {known === null || known.inUse ? null : (
        <Button
          onPress={() => {
            onUse(known.schedule);
          }}
        >
          {t('Use fastest known')}
        </Button>
      )}
    </div>
  );
}
