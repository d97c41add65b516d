/**
 * Writes the points of a size sweep as CSV (RFC 4180), with numbers in JSON notation and predicted
 * rates where available.
 */
import type { Sweep } from './sweep';

const COLUMNS = [
  'm',
  'n',
  'k',
  'tiles',
  'waves',
  'blocks_per_wave',
  'tail_blocks',
  'wave_efficiency',
  'balance',
  'padding_flop_fraction',
  'efficiency',
  'predicted_ms',
  'predicted_tflops',
];

export const sweepCsv = ({ points }: Sweep): string =>
  [
    COLUMNS.join(','),
    ...points.map(({ sizes: { m, n, k }, predicted, ...point }) =>
      [
        m,
        n,
        k,
        point.tiles,
        point.waves,
        point.blocksPerWave,
        point.tailBlocks,
        point.waveEfficiency,
        point.balance,
        point.paddingFlopFraction,
        point.efficiency,
        predicted?.milliseconds ?? '',
        predicted?.tflops ?? '',
      ].join(','),
    ),
  ].join('\r\n') + '\r\n';
