/**
 * Section "Verdict": the predicted rate as a sentence, and the edit with the largest predicted
 * gain. Below, the waterfall from the peak to the prediction, and other rates for this problem.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { analyze } from '../../src/core/report/analyze';
import type { Analysis } from '../../src/core/report/analysis';
import { fastestKnown, type FastestKnown } from '../../src/core/defaults/fastestKnown';
import type { Device } from '../../src/core/hardware/devices';
import type { Kernel } from '../../src/core/kernel/kernel';
import { gapEdits, type GapEdit } from '../../src/core/model/gap/gapEdits';
import { warpGroupTexts } from '../../src/core/model/wgmma/wgmmaText';
import { waterfall, type Waterfall } from '../../src/core/roofline/waterfall';
import type { GemmSpec, Target } from '../../src/core/spec/schema';
import { useAfterPaint } from '../afterPaint';
import { emittedOf, isKernel } from '../derive';
import { formatPercent, formatRate } from '../format';
import type { Pinned } from '../history';
import type { Message } from '../state';
import { causeName } from './causeName';
import { Disclosure } from './disclosure';
import { Section } from './figure';
import { Held } from './held';
import { changesText, Edit, isCause, LossList, type Edits } from './lossList';
import { Rivals, type Rival } from './rivals';
import { WaterfallRows } from './waterfallRows';

export interface VerdictProps {
  readonly kernel: Kernel;
  readonly analysis: Analysis;
  readonly device: Device;
  readonly spec: GemmSpec;
  readonly pinned: Pinned | null;
  readonly of: string | undefined;
  readonly dispatch: (message: Message) => void;
}

interface Details {
  readonly losses: Waterfall;
  readonly edits: Edits;
  readonly known: FastestKnown | null;
  readonly pinned: Rival | null;
}

export function Verdict(props: VerdictProps): VNode | null {
  const { kernel, analysis, device, spec, pinned, of, dispatch } = props;
  const { prediction, roofline } = analysis;
  const newest = roofline.points.findLast(({ kind }) => kind === 'measured');
  const input = useMemo(
    () => ({ kernel, analysis, device, spec, pinned }),
    [kernel, device, prediction?.tflops.value, newest?.tflops, roofline.attainable.value, pinned],
  );
  const { value, stale } = useAfterPaint(input, detailsOf);
  const place = useRef<HTMLDivElement>(null);
  const [appliedText, setApplied] = useState('');
  if (prediction === null) return null;
  const attempt = ({ changes }: GapEdit): void => {
    dispatch({
      type: 'choose',
      changes: Object.fromEntries(changes.map(({ path, to }) => [path, to])),
    });
    setApplied(t('Applied: {0}. Use Undo to revert.', changesText(changes)));
    // The button may disappear with its cause, so focus moves to the section.
    place.current?.focus();
  };
  const { calibratedOn, fitted } = prediction;
  const next = value === null ? undefined : bestOf(value.edits);
  return (
    <Section id="verdict" title={t('Verdict')} of={of}>
      <div ref={place} tabIndex={-1} class={stale ? 'later stale' : 'later'} aria-busy={stale}>
        {value === null ? (
          stale ? (
            <div class="awaited" style={{ minBlockSize: '20lh' }} />
          ) : null
        ) : (
          <Held stale={stale}>
            {() => (
              <>
                <p class="lead">{sentence(value.losses)}</p>
                {next === undefined ? null : <Edit id="next-edit" edit={next} onTry={attempt} />}
                <p role="status" class="hint">
                  {appliedText}
                </p>
                <WaterfallRows of={value.losses} />
                <Rivals
                  machine={device.name}
                  predicted={{
                    name: t('this kernel, predicted'),
                    gflops: prediction.tflops.value * 1000,
                    from: 'derived',
                  }}
                  others={[
                    ...(newest === undefined
                      ? []
                      : [
                          {
                            name: t('newest run'),
                            gflops: newest.tflops * 1000,
                            from: 'measured' as const,
                          },
                        ]),
                    ...(value.pinned === null ? [] : [value.pinned]),
                  ]}
                  known={value.known}
                  onUse={schedule => {
                    dispatch({ type: 'choose', changes: { schedule } });
                  }}
                />
                <Disclosure summary={t('Edits')}>
                  {() => (
                    <>
                      {'warpGroups' in prediction
                        ? warpGroupTexts(prediction.warpGroups, device).map(text => (
                            <p key={text}>{text}</p>
                          ))
                        : null}
                      <LossList of={value.losses} edits={value.edits} onTry={attempt} />
                      <p class="hint">
                        {originText(calibratedOn === analysis.device ? null : calibratedOn, fitted)}{' '}
                        {t(
                          'Losses are removed one at a time, largest first, so the steps sum to the gap. Predictions for edits use estimated register counts.',
                        )}
                      </p>
                    </>
                  )}
                </Disclosure>
              </>
            )}
          </Held>
        )}
      </div>
    </Section>
  );
}

function detailsOf(input: Omit<VerdictProps, 'of' | 'dispatch'>): Details | null {
  const { kernel, analysis, device, spec, pinned } = input;
  const losses = waterfall(analysis, kernel.plan);
  if (losses === null) return null;
  const causes = losses.falls.flatMap(({ cause }) => (isCause(cause) ? [cause] : []));
  return {
    losses,
    edits: gapEdits(kernel.plan, device, causes),
    known: withPrediction(fastestKnown(spec), input),
    pinned: pinned === null ? null : pinnedRate(pinned, kernel.target, device),
  };
}

/** Predicts a schedule that was not measured at this shape with the model of the other rates. */
function withPrediction(
  known: FastestKnown | null,
  { kernel, device, spec }: Omit<VerdictProps, 'of' | 'dispatch'>,
): FastestKnown | null {
  if (known === null || known.rate.from === 'measured') return known;
  const gflops = predictedGflops({ ...spec, schedule: known.schedule }, kernel.target, device);
  return gflops === null ? known : { ...known, rate: { ...known.rate, value: gflops } };
}

/** Returns the predicted rate of the pinned kernel; null if none is predicted on this device. */
function pinnedRate({ spec, name }: Pinned, target: Target, device: Device): Rival | null {
  const gflops = predictedGflops(spec, target, device);
  return gflops === null ? null : { name: t('pinned: {0}', name), gflops, from: 'derived' };
}

function predictedGflops(spec: GemmSpec, target: Target, device: Device): number | null {
  const kernel = emittedOf(spec).kernels[target];
  if (!isKernel(kernel)) return null;
  const { prediction } = analyze(kernel, { device: device.id });
  return prediction === null ? null : prediction.tflops.value * 1000;
}

const bestOf = (edits: Edits): GapEdit | undefined =>
  Object.values(edits).sort((one, other) => other.tflops - one.tflops)[0];

function sentence({ peak, predicted, falls }: Waterfall): string {
  const rate = t(
    'Predicted: {0}, {1} of peak.',
    formatRate(predicted.tflops * 1000),
    formatPercent(Number((predicted.tflops / peak.tflops).toPrecision(2))),
  );
  const largest = falls.find(({ cause }) => isCause(cause));
  if (largest === undefined) return rate;
  return `${rate} ${t('Largest loss: {0}.', causeName(largest.cause))}`;
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
