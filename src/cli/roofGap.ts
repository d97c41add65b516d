/**
 * Gap section of `analyze`: losses between the roofline and the predicted rate, as a waterfall,
 * with the best edit per loss.
 */
import type { Analysis } from '../core/report/analysis';
import { deviceOf, isDeviceId } from '../core/hardware/devices';
import { gapEdits, type GapEdit } from '../core/model/gap/gapEdits';
import { explainedGaps, type ExplainedGap } from '../core/model/gap/gaps';
import type { Cause } from '../core/model/timeModel';
import { warpGroupTexts } from '../core/model/wgmma/wgmmaText';
import { waterfall, type LossStep, type Waterfall } from '../core/roofline/waterfall';
import type { Plan } from '../core/plan/plan';
import { number, percent, quantity, table } from './table';

export interface RooflineGap {
  readonly gaps: readonly ExplainedGap[];
  /** Null if the model cannot predict this kernel. */
  readonly waterfall: Waterfall | null;
  readonly gapEdits: Readonly<Partial<Record<Cause, GapEdit>>>;
}

export function rooflineGap(analysis: Analysis, plan: Plan | null): RooflineGap {
  const gaps = explainedGaps(analysis, plan);
  const losses = waterfall(analysis, plan);
  const causes = (losses?.falls ?? []).flatMap(({ cause }) => (isCause(cause) ? [cause] : []));
  const { device } = analysis;
  const edits =
    plan === null || !isDeviceId(device) ? {} : gapEdits(plan, deviceOf(device), causes);
  return { gaps, waterfall: losses, gapEdits: edits };
}

const isCause = (cause: LossStep['cause']): cause is Cause =>
  cause !== 'rest' && cause !== 'unexplained';

export function describeGap(
  { prediction, device }: Analysis,
  { gaps, waterfall: losses, gapEdits: edits }: RooflineGap,
): readonly string[] {
  if (prediction === null) return [];
  const { calibratedOn, fitted, milliseconds, tflops } = prediction;
  const calibrationText =
    calibratedOn === device ? '' : `, with cycle counts measured on ${calibratedOn}`;
  const predicted = [milliseconds, tflops].map(({ value, unit }) => quantity(value, unit));
  return [
    '',
    `predicted: ${predicted.join(', ')} (derived); ${fitted ? 'fitted to measurements' : 'not fitted to measurements of such kernels'}${calibrationText}`,
    ...gaps.map(({ text }) => `  ${text}`),
    ...('warpGroups' in prediction && isDeviceId(device)
      ? warpGroupTexts(prediction.warpGroups, deviceOf(device)).map(text => `  ${text}`)
      : []),
    ...(losses === null ? [] : ['', ...waterfallText(losses, edits)]),
  ];
}

function waterfallText(
  { roof, falls, predicted, measured }: Waterfall,
  edits: RooflineGap['gapEdits'],
): readonly string[] {
  const editText = (cause: LossStep['cause']): string => {
    const edit = isCause(cause) ? edits[cause] : undefined;
    if (edit === undefined) return '';
    const changes = edit.changes.map(({ path, to }) => `--set ${path}=${to}`).join(' ');
    return `${changes}: ${number(edit.tflops)} TFLOP/s`;
  };
  const lossRow = ({ cause, milliseconds, share, tflops }: LossStep) => [
    cause,
    `+${number(milliseconds)}`,
    percent(share),
    number(tflops),
    editText(cause),
  ];
  return [
    table([
      ['loss', 'ms', 'share of gap', 'TFLOP/s', 'best edit (predicted)'],
      ['roofline', number(roof.milliseconds), '', number(roof.tflops), ''],
      ...falls.map(lossRow),
      ['predicted', number(predicted.milliseconds), '', number(predicted.tflops), ''],
      ...(measured === null
        ? []
        : [
            ['unexplained', number(measured.unexplained.milliseconds), '', '', ''],
            ['measured', number(measured.milliseconds), '', number(measured.tflops), ''],
          ]),
    ]),
    'Losses are removed one at a time, largest first. The row `rest` is the predicted time that is not attributed to any loss.',
  ];
}
