/** Edits that raise occupancy, and occupancy curves by resource, computed after paint. */
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { OccupancyReport } from '../../src/core/occupancy/report';
import { carveOutsOf } from '../../src/core/occupancy/carveOuts';
import { occupancyCurves } from '../../src/core/occupancy/occupancyCurves';
import { occupancyEdits } from '../../src/core/occupancy/occupancyEdits';
import { launchedPerSm } from '../../src/core/occupancy/launchedOccupancy';
import { nextStep } from '../../src/core/occupancy/occupancySteps';
import type { Device } from '../../src/core/hardware/devices';
import type { Kernel } from '../../src/core/kernel/kernel';
import type { Analysis } from '../../src/core/report/analysis';
import type { Plan } from '../../src/core/plan/plan';
import { pictureLines } from '../../src/core/charts/pictureLines';
import { useAfterPaint } from '../afterPaint';
import type { Message } from '../state';
import { CarveOuts } from './carveOuts';
import { Held } from './held';
import { Curves } from './occupancyCurves';
import { NextSteps } from './occupancyNext';
import { Predict } from './predict';
import { SECTION_TERMS } from '../sectionTerms';
import { Terms } from './terms';

export interface OccupancyDetailsProps {
  readonly kernel: Kernel;
  readonly analysis: Analysis;
  readonly report: OccupancyReport;
  readonly device: Device;
  readonly dispatch: (message: Message) => void;
}

const TOPICS = ['occupancy'] as const;

export function OccupancyDetails(props: OccupancyDetailsProps): VNode {
  const { kernel, analysis, report, device, dispatch } = props;
  const { plan } = kernel;
  const input = useMemo(() => ({ report, plan, device }), [report, plan, device]);
  const { value, stale } = useAfterPaint(input, explore);
  if (value === null) return <></>;
  return (
    <div class="later" aria-busy={stale}>
      <Predict kernel={kernel} analysis={analysis} device={device} topics={TOPICS} />
      <Held stale={stale}>
        {() => (
          <>
            <Terms
              of="occupancy"
              ids={SECTION_TERMS.occupancy}
              spec={plan.spec}
              figures={{ occupancy: report, threads: plan.threads, sharedBytes: plan.sharedBytes }}
            />
            <NextSteps {...value} report={value.report} dispatch={dispatch} />
            <Curves curves={value.curves} lines={pictureLines(plan.spec, device.name)} />
            <CarveOuts all={value.carveOuts} />
          </>
        )}
      </Held>
    </div>
  );
}

interface Explored {
  readonly report: OccupancyReport;
  readonly plan: Plan;
  readonly device: Device;
}

function explore({ report, plan, device }: Explored) {
  const input = {
    computeCapability: device.computeCapability ?? '',
    threadsPerBlock: report.threads,
    registersPerThread: report.registers.value,
    sharedBytesPerBlock: report.sharedBytes.value,
  };
  return {
    report,
    curves: occupancyCurves(input),
    carveOuts: carveOutsOf(input),
    step: nextStep(input, launchedPerSm(plan)),
    found: occupancyEdits({ plan, device, report }),
  };
}
