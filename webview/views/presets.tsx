/** Section of preset schedules, loaded and computed only while it is open. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Measurement } from '../../src/core/measure/measurement';
import type { ResolvedSpec } from '../../src/core/spec/resolved';
import type { GemmSpec, Target } from '../../src/core/spec/schema';
import type { Message, State } from '../state';
import { later } from './later';

const PresetList = later(parts => parts.PresetList, 40);

export interface PresetsProps {
  readonly spec: GemmSpec;
  readonly resolved: ResolvedSpec;
  readonly target: Target;
  readonly runs: readonly Measurement[];
  readonly localRuns: readonly Measurement[];
  readonly webgpu: State['webgpu'];
  readonly dispatch: (message: Message) => void;
}

export function Presets(props: PresetsProps): VNode {
  const [open, setOpen] = useState(false);
  return (
    <details
      class="presets"
      open={open}
      onToggle={event => {
        setOpen(event.currentTarget.open);
      }}
    >
      <summary>{t('Presets')}</summary>
      {open ? <PresetList {...props} /> : null}
    </details>
  );
}
