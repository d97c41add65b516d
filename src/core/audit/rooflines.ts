/** Rooflines of an audit, one per element type. The area of a point is its share of the time. */
import { t } from '@vscode/l10n';
import type { Chart } from '../charts/chart';
import { captionedRoofline } from '../charts/rooflineCaption';
import { rooflineChart } from '../charts/rooflineChart';
import { resolve } from '../defaults/resolve';
import { deviceOf, isDeviceId, matchDevice, type DeviceId } from '../hardware/devices';
import { plan } from '../plan/planner';
import { compulsoryBytes } from '../plan/traffic';
import type { Roofline, RooflinePoint } from '../roofline/contract';
import { kernelOnRoofline, rooflines } from '../roofline/machineRoofline';
import { flops, type ResolvedSpec } from '../spec/resolved';
import { grouped } from '../text/numbers';
import type { ShapeResult } from './result';
import type { AuditSummary } from './summary';

const SIZE = { width: 800, height: 420 };

interface Drawn {
  readonly resolved: ResolvedSpec;
  readonly result: ShapeResult;
  readonly share: number;
}

/** Returns the charts; shapes without a time are absent. */
export function auditRooflines(
  results: readonly ShapeResult[],
  { ranking, place }: AuditSummary,
): readonly Chart[] {
  const shares = new Map(ranking.map(({ key, share }) => [key, share]));
  const drawn = results.flatMap((result): readonly Drawn[] => {
    const { spec, oursMs, predictedMs } = result;
    if (spec === null || (oursMs ?? predictedMs) === null) return [];
    return [{ resolved: resolve(spec), result, share: shares.get(result.key) ?? 0 }];
  });
  const machine = place.gpus.join(', ');
  return [...new Set(drawn.map(typeOf))].flatMap(type => {
    const own = drawn.filter(one => typeOf(one) === type);
    const roofline = rooflineOf(own, machine);
    if (roofline === null) return [];
    return [
      captionedRoofline(rooflineChart(roofline, SIZE, { pointLabels: 'none' }), {
        roofline: { ...roofline, points: [] },
        roofs: [],
        title: t('Roofline of the shapes in {0}', type),
        lines: [
          t(
            '{0}, number of shapes: {1}. The area of a point is its share of the time of all calls.',
            machine,
            grouped(own.length),
          ),
        ],
      }),
    ];
  });
}

const typeOf = ({ resolved: { problem } }: Drawn): string => problem.a.dtype;

function rooflineOf(drawn: readonly Drawn[], machine: string): Roofline | null {
  const [first] = drawn;
  if (first === undefined) return null;
  const planned = plan(first.resolved, 'cuda');
  if (!planned.ok) return null;
  const device = deviceFor(first);
  const kernel = kernelOnRoofline(first.resolved.problem, planned.plan);
  const { roofline } = rooflines(kernel, deviceOf(device), []);
  return { ...roofline, machine, points: largestFirst(drawn, machine) };
}

/** The largest points are drawn first, so that they hide no small points. */
const largestFirst = (drawn: readonly Drawn[], machine: string): readonly RooflinePoint[] =>
  drawn.toSorted((one, other) => other.share - one.share).map(one => pointOf(one, machine));

function deviceFor({ result, resolved }: Drawn): DeviceId {
  const measured = matchDevice(result.measurement?.device.name ?? '');
  return measured ?? (isDeviceId(resolved.device) ? resolved.device : 'h200');
}

function pointOf({ resolved, result, share }: Drawn, machine: string): RooflinePoint {
  const { problem } = resolved;
  const milliseconds = result.oursMs ?? result.predictedMs ?? Infinity;
  return {
    name: result.shape,
    kind: result.oursMs === null ? 'predicted' : 'measured',
    intensity: flops(problem) / compulsoryBytes(problem),
    tflops: flops(problem) / (milliseconds * 1e9),
    from: result.oursMs === null ? 'derived' : 'measured',
    machine,
    share,
  };
}
