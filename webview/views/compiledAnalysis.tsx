/** Occupancy, accesses and findings of a kernel without a spec, from its compiled code. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { archOf } from '../../src/core/hardware/computeCapability';
import type { Device } from '../../src/core/hardware/devices';
import { occupancyReport } from '../../src/core/occupancy/occupancyReport';
import { factsKey, type State } from '../state';
import { Section } from './figure';
import { AccessTables, Notes } from './memory';
import { OccupancyFacts } from './occupancy';

export interface CompiledAnalysisProps {
  readonly own: NonNullable<State['own']>;
  readonly device: Device;
  readonly compiled: State['compiled'];
}

/** Returns null for a WGSL kernel and for a device that nvcc does not compile for. */
export function CompiledAnalysis({ own, device, compiled }: CompiledAnalysisProps): VNode | null {
  const { computeCapability } = device;
  if (computeCapability === undefined || own.name.endsWith('.wgsl')) return null;
  const facts = compiled[factsKey({ ...own, arch: archOf(computeCapability) })];
  if (facts === undefined) {
    return (
      <div class="column read">
        <Section id="occupancy" title={t('Occupancy')}>
          <p class="hint">
            {t(
              'Not compiled for {0} yet. Fix: install nvcc and save the annotated kernel; its occupancy and accesses are then shown here.',
              device.name,
            )}
          </p>
        </Section>
      </div>
    );
  }
  const { accesses } = facts;
  const launch = {
    computeCapability,
    threadsPerBlock: own.threads,
    registersPerThread: facts.registers,
    sharedBytesPerBlock: facts.sharedBytes + own.dynamicSharedBytes,
  };
  const report = occupancyReport(null, launch, 'compiler');
  return (
    <div class="column read">
      {accesses === undefined ? null : <Notes notes={accesses.notes} />}
      <Section id="occupancy" title={t('Occupancy')} of={device.name}>
        {report === null ? (
          <p>{t('The launch exceeds a limit of {0}.', device.name)}</p>
        ) : (
          <OccupancyFacts report={report} />
        )}
      </Section>
      {accesses === undefined ? null : (
        <Section id="memory" title={t('Memory access')}>
          <AccessTables from="compiler" {...accesses} />
        </Section>
      )}
    </div>
  );
}
