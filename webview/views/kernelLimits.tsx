/**
 * Section "What limits this kernel": the losses from the roofline to the prediction and the newest
 * run, and the edits that reduce them.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Analysis } from '../../src/core/report/analysis';
import type { Device } from '../../src/core/hardware/devices';
import type { Kernel } from '../../src/core/kernel/kernel';
import { gapEdits, type GapEdit } from '../../src/core/model/gap/gapEdits';
import type { Cause } from '../../src/core/model/timeModel';
import { warpGroupTexts } from '../../src/core/model/wgmma/wgmmaText';
import { waterfall, type LossStep, type Waterfall } from '../../src/core/roofline/waterfall';
import { useAfterPaint } from '../afterPaint';
import { nameOf } from '../changes';
import { formatMilliseconds, formatPercent, formatRate } from '../format';
import type { Message } from '../state';
import { OriginTag, Section, type Origin } from './figure';
import { TryIt } from './tryIt';

export interface KernelLimitsProps {
  readonly kernel: Kernel;
  readonly analysis: Analysis;
  readonly device: Device;
  readonly of: string;
  readonly dispatch: (message: Message) => void;
}

interface Why {
  readonly falls: Waterfall;
  readonly edits: ReturnType<typeof gapEdits>;
}

export function KernelLimits({
  kernel,
  analysis,
  device,
  of,
  dispatch,
}: KernelLimitsProps): VNode | null {
  const { prediction, roofline } = analysis;
  const newest = roofline.points.findLast(({ kind }) => kind === 'measured');
  const input = useMemo(
    () => ({ kernel, analysis, device }),
    [kernel, device, prediction?.tflops.value, newest?.tflops, roofline.attainable.value],
  );
  const { value, stale } = useAfterPaint(input, limitsOf);
  const place = useRef<HTMLDivElement>(null);
  const [appliedText, setTried] = useState('');
  if (prediction === null) return null;
  const attempt = ({ changes }: GapEdit): void => {
    dispatch({
      type: 'choose',
      changes: Object.fromEntries(changes.map(({ path, to }) => [path, to])),
    });
    setTried(t('Applied: {0}. Use Undo to revert.', changesText(changes)));
    // The button may disappear with its cause, so focus moves to the list.
    place.current?.focus();
  };
  const { calibratedOn, fitted } = prediction;
  return (
    <Section id="gap" title={t('What limits this kernel')} of={of}>
      <div ref={place} tabIndex={-1} class={stale ? 'later stale' : 'later'} aria-busy={stale}>
        {value === null ? null : <Losses {...value} onTry={attempt} />}
        {'warpGroups' in prediction
          ? warpGroupTexts(prediction.warpGroups, device).map(text => <p key={text}>{text}</p>)
          : null}
        <p role="status" class="hint">
          {appliedText}
        </p>
        <p class="hint">
          {originText(calibratedOn === analysis.device ? null : calibratedOn, fitted)}{' '}
          {value === null
            ? ''
            : t(
                'Losses are removed one at a time, largest first, so the steps sum to the gap. Predictions for edits use estimated register counts.',
              )}
        </p>
      </div>
    </Section>
  );
}

/** @param other the device of the calibration, or null if it is the shown device */
function originText(other: string | null, fitted: boolean): string {
  if (!fitted)
    return t(
      'Predicted by the time model, which is not calibrated for tensor cores. It assumes their peak rate, one shared-memory wavefront per cycle, and latencies measured on other kernels.',
    );
  return other === null
    ? t('Predicted by the time model, calibrated on this device.')
    : t(
        'Predicted by the time model, calibrated on {0}; the selected device is not calibrated.',
        other,
      );
}

function limitsOf({
  kernel,
  analysis,
  device,
}: Omit<KernelLimitsProps, 'of' | 'dispatch'>): Why | null {
  const falls = waterfall(analysis, kernel.plan);
  if (falls === null) return null;
  const causes = falls.falls.flatMap(({ cause }) => (isCause(cause) ? [cause] : []));
  return { falls, edits: gapEdits(kernel.plan, device, causes) };
}

const isCause = (cause: LossStep['cause']): cause is Cause =>
  cause !== 'rest' && cause !== 'unexplained';

const changesText = (changes: GapEdit['changes']): string =>
  changes.map(({ path, from, to }) => `${nameOf(path)} ${from} → ${to}`).join(', ');

const causeName = (cause: LossStep['cause']): string =>
  ({
    latency: t('exposed load latency'),
    fragments: t('fragment load latency'),
    barriers: t('synchronization'),
    instruction: t('MMA instruction rate'),
    'load-store': t('loads and stores'),
    copies: t('asynchronous copies'),
    conflicts: t('bank conflicts'),
    spills: t('register spills'),
    waves: t('wave quantization'),
    padding: t('tile quantization'),
    l2: t('L2 bandwidth'),
    dram: t('DRAM bandwidth'),
    launch: t('kernel launches'),
    power: t('power limit'),
    narrow: t('shared-memory bandwidth'),
    promotion: t('FP32 promotion'),
    stores: t('exposed epilogue'),
    start: t('prologue and drain'),
    before: t('pre-pass kernels'),
    rest: t('other modeled time'),
    unexplained: t('not explained by the model'),
  })[cause];

function Losses({ falls, edits, onTry }: Why & { readonly onTry: (edit: GapEdit) => void }): VNode {
  const { roof, predicted, measured } = falls;
  const whole = Math.max(predicted.milliseconds, measured?.milliseconds ?? 0);
  let from = roof.milliseconds;
  const steps = falls.falls.map(fall => {
    const start = from;
    from += fall.milliseconds;
    return { fall, start };
  });
  const bar = (start: number, end: number) => ({ start: start / whole, end: end / whole });
  return (
    <ol class="falls">
      <Level name={t('attainable')} from="derived" {...roof} bar={bar(0, roof.milliseconds)} />
      {steps.map(({ fall, start }) => (
        <Step
          key={fall.cause}
          fall={fall}
          bar={bar(start, start + fall.milliseconds)}
          {...editOf(fall, falls.falls, edits)}
          onTry={onTry}
        />
      ))}
      <Level
        name={t('predicted')}
        from="derived"
        {...predicted}
        bar={bar(0, predicted.milliseconds)}
      />
      {measured === null ? null : (
        <>
          <Step
            fall={measured.unexplained}
            bar={bar(
              Math.min(predicted.milliseconds, measured.milliseconds),
              Math.max(predicted.milliseconds, measured.milliseconds),
            )}
            onTry={onTry}
          />
          <Level
            name={t('measured (newest run)')}
            from="measured"
            {...measured}
            bar={bar(0, measured.milliseconds)}
          />
        </>
      )}
    </ol>
  );
}

interface BarOf {
  /** Bar endpoints as fractions of the longest time, 0 to 1. */
  readonly bar: { readonly start: number; readonly end: number };
}

const Bar = ({ bar: { start, end }, kind }: BarOf & { readonly kind: string }): VNode => (
  <svg class="fall-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect
      class={kind}
      x={100 * start}
      y={0}
      width={Math.max(0.4, 100 * (end - start))}
      height={8}
    />
  </svg>
);

interface LevelProps extends BarOf {
  readonly name: string;
  readonly from: Origin;
  readonly tflops: number;
  readonly milliseconds: number;
}

const Level = ({ name, from, tflops, milliseconds, bar }: LevelProps): VNode => (
  <li class="level">
    <p>
      <b>{name}</b>{' '}
      <span class="number">
        {formatRate(tflops * 1000)}, {formatMilliseconds(milliseconds)}
      </span>{' '}
      <OriginTag from={from} />
    </p>
    <Bar bar={bar} kind="all" />
  </li>
);

interface Offered {
  readonly edit?: GapEdit;
  /** True if a loss higher in the list has the same edit. */
  readonly again?: boolean;
}

function editOf(fall: LossStep, all: readonly LossStep[], edits: Why['edits']): Offered {
  const own = ({ cause }: LossStep): GapEdit | undefined =>
    isCause(cause) ? edits[cause] : undefined;
  const edit = own(fall);
  if (edit === undefined) return {};
  const text = changesText(edit.changes);
  const before = all.slice(0, all.indexOf(fall)).flatMap(other => own(other) ?? []);
  return { edit, again: before.some(({ changes }) => changesText(changes) === text) };
}

interface StepProps extends BarOf, Offered {
  readonly fall: LossStep;
  readonly onTry: (edit: GapEdit) => void;
}

function Step({ fall, bar, edit, again = false, onTry }: StepProps): VNode {
  const { cause, milliseconds, share, text } = fall;
  const faster = milliseconds < 0;
  const size = formatMilliseconds(Math.abs(milliseconds));
  const id = `fall-${cause}`;
  return (
    <li>
      <p>
        <b>{causeName(cause)}</b>{' '}
        <span class="number">
          {faster ? `−${size}` : `+${size}`},{' '}
          {cause === 'unexplained'
            ? t('{0} of the measured time', formatPercent(Number(Math.abs(share).toPrecision(3))))
            : t('{0} of the gap', formatPercent(Number(share.toPrecision(3))))}
        </span>{' '}
        <OriginTag from={cause === 'unexplained' ? 'measured' : 'derived'} />
      </p>
      <Bar bar={bar} kind={faster ? 'gain' : 'loss'} />
      {text === undefined ? null : <p class="hint">{text}</p>}
      {edit === undefined ? null : again ? (
        <p>{t('Also reduced by: {0} (above).', changesText(edit.changes))}</p>
      ) : (
        <div class="fall-edit">
          <p id={id}>
            {t(
              '{0}: {1} → {2} predicted',
              changesText(edit.changes),
              formatRate(edit.tflopsNow * 1000),
              formatRate(edit.tflops * 1000),
            )}
          </p>
          <TryIt
            of={id}
            onPress={() => {
              onTry(edit);
            }}
          />
        </div>
      )}
    </li>
  );
}
