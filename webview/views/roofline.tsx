/**
 * Roofline section: datasheet and measured ceilings, points of the kernel, earlier runs, and chart
 * export.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Analysis } from '../../src/core/report/analysis';
import type { ChartWindow } from '../../src/core/charts/chartScales';
import { withoutHidden } from '../../src/core/roofline/roofline';
import { problemKey, rooflineTrail } from '../../src/core/charts/rooflineTrail';
import type { Device } from '../../src/core/hardware/devices';
import type { Kernel } from '../../src/core/kernel/kernel';
import type { BackendId } from '../../src/core/measure/measurement';
import type { ResolvedProblem } from '../../src/core/spec/resolved';
import type { State } from '../state';
import { Disclosure } from './disclosure';
import { DoubtfulCeiling } from './doubtfulCeiling';
import { Section } from './figure';
import { later } from './later';
import type { ChartCeilings } from './rooflineLevels';
import { Plot } from './rooflinePlot';
import { withoutOwn } from './rooflineTexts';
import type { Roofline as RooflineData } from '../../src/core/roofline/contract';

const RooflineTables = later(parts => parts.RooflineTables, 24);
const RooflineLevels = later(parts => parts.RooflineLevels, 6);
const RooflineFacts = later(parts => parts.RooflineFacts, 9);
const SaveRoofline = later(parts => parts.SaveRoofline, 2);

export interface RooflineProps {
  readonly roofline: RooflineData;
  readonly problem: ResolvedProblem;
  /**
   * Input of the memory-level analysis; absent for edited or hand-written kernels and for machines
   * other than the device of the spec.
   */
  readonly generated?:
    { readonly kernel: Kernel; readonly analysis: Analysis; readonly device: Device } | undefined;
  /** Hash of the shown kernel source, whose runs are not listed as earlier runs. */
  readonly sourceHash: string;
  readonly of: string;
  readonly state: Pick<State, 'runs' | 'localRuns' | 'trusted'>;
  /** Reruns the benchmark; absent if the page cannot run the kernel. */
  readonly onMeasureAgain?: (backend: BackendId) => void;
}

interface Zoomed {
  readonly machine: string;
  readonly window: ChartWindow;
}

export function Roofline(props: RooflineProps): VNode {
  const { roofline, problem, sourceHash, state, onMeasureAgain } = props;
  const { machine } = roofline;
  const { generated } = props;
  const [allCeilings, setCeilings] = useState<ChartCeilings | null>(null);
  const ceilings = allCeilings?.machine === machine ? allCeilings : null;
  const hidden = ceilings?.hidden;
  const drawn = useMemo(() => withoutHidden(roofline, hidden ?? []), [roofline, hidden]);
  const [withTrail, setWithTrail] = useState(true);
  const [zoom, setZoom] = useState<Zoomed | null>(null);
  const { runs, localRuns } = state;
  // The trail depends on the problem and the machine, not on the schedule.
  const all = useMemo(
    () => rooflineTrail({ runs: [...runs, ...localRuns], problem, machine }),
    [runs, localRuns, problemKey(problem), machine],
  );
  const trail = useMemo(() => (withTrail ? all : []), [withTrail, all]);
  const earlier = useMemo(() => withoutOwn(all, sourceHash), [all, sourceHash]);
  const window = zoom?.machine === machine ? zoom.window : null;
  return (
    <Section
      id="roofline"
      title={t('Roofline')}
      of={generated === undefined ? t('{0}, on {1}', props.of, machine) : undefined}
    >
      <Plot
        roofline={drawn}
        trail={trail}
        sourceHash={sourceHash}
        roofs={ceilings}
        window={window}
        onWindow={next => {
          setZoom(next === null ? null : { machine, window: next });
        }}
      />
      {earlier.length === 0 ? null : (
        <label class="check">
          <input
            type="checkbox"
            checked={withTrail}
            onChange={event => {
              setWithTrail(event.currentTarget.checked);
            }}
          />
          {t('Earlier runs of this problem on this machine ({0})', earlier.length)}
        </label>
      )}
      {generated === undefined ? null : (
        <RooflineLevels {...generated} roofline={roofline} onRoofs={setCeilings} />
      )}
      <DoubtfulCeiling
        {...{ roofline, onMeasureAgain }}
        runs={localRuns.length === 0 ? runs : [...runs, ...localRuns]}
      />
      <RooflineFacts roofline={roofline} problem={problem} />
      <Disclosure summary={t('Chart as table')}>
        {() => <RooflineTables roofline={roofline} trail={earlier} />}
      </Disclosure>
      <SaveRoofline
        roofline={drawn}
        of={props.of}
        {...{ trail, roofs: ceilings, problem, sourceHash, window, trusted: state.trusted }}
      />
    </Section>
  );
}
