/** Adds the predicted point to a roofline. */
import type { Roofline, RooflinePoint } from './contract';
import type { PredictionReport } from '../model/report';

/**
 * Inserts the predicted point before the measured points, at the arithmetic intensity of the
 * attainable point. A roofline without an attainable point is returned unchanged.
 */
export function withPrediction(roofline: Roofline, { tflops }: PredictionReport): Roofline {
  const { machine, points } = roofline;
  const attainable = points.find(({ kind }) => kind === 'attainable');
  if (attainable === undefined) return roofline;
  const predicted: RooflinePoint = {
    kind: 'predicted',
    name: 'predicted',
    machine,
    from: 'derived',
    intensity: attainable.intensity,
    tflops: tflops.value,
  };
  const measured = (point: RooflinePoint): boolean => point.kind === 'measured';
  return {
    ...roofline,
    points: [...points.filter(point => !measured(point)), predicted, ...points.filter(measured)],
  };
}
