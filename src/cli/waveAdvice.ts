/**
 * Advice of `analyze` for uneven load balance: edits of tiles and split-K slices that raise the
 * predicted rate.
 */
import type { Waves } from '../core/occupancy/report';
import { balanceText } from '../core/occupancy/waves';
import { significant } from '../core/text/numbers';
import type { WaveEdit } from '../core/search/rank/waveEdits';

export function describeWaveEdits(
  waves: Waves | null,
  edits: readonly WaveEdit[],
): readonly string[] {
  if (waves === null || edits.length === 0) return [];
  const now = balanceText(waves.balance.value);
  return [
    '',
    `Load balance over SMs: ${now}. Edits, with rates predicted from estimated register counts:`,
  ].concat(
    edits.map(({ changes, waves: after, tflops }) => {
      const set = changes.map(({ path, to }) => `--set ${path}=${to}`).join(' ');
      const rates = `predicted ${significant(tflops.before)} -> ${significant(tflops.after)} TFLOP/s`;
      return `  ${set}: ${rates}, load balance ${balanceText(after.balance.value)}`;
    }),
  );
}
