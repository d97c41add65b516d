/** What `analyze` advises where SMs share blocks unevenly: tiles and parts of K that fill the waves better. */
import type { Waves } from '../core/analysis/analysis';
import type { WaveEdit } from '../core/rank/waveEdits';
import { number, percent } from './table';

export function describeWaveEdits(
  waves: Waves | null,
  edits: readonly WaveEdit[],
): readonly string[] {
  if (waves === null || edits.length === 0) return [];
  const now = `last wave ${percent(waves.tail.efficiency.value)} full, SMs balanced to ${percent(waves.balance.value)}`;
  return ['', `${now}; what would fill the waves, predicted from estimated registers:`].concat(
    edits.map(({ changes, waves: after, gain }) => {
      const set = changes.map(({ path, to }) => `--set ${path}=${to}`).join(' ');
      const filled = `${number(after.waves)} waves, the last one ${percent(after.tail.efficiency.value)} full, SMs balanced to ${percent(after.balance.value)}`;
      return `  ${set}: ${filled}: +${number(gain * 100)} %`;
    }),
  );
}
