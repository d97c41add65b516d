/** Section "Steps": plays one thread block, statement by statement. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { isLowered, type Kernel, type LoweredKernel } from '../../src/core/kernel/kernel';
import { statementLines, type Lines } from '../../src/core/kernel/print/statementLines';
import type { Statement } from '../../src/core/kernel/ir/ir';
import { allStatements } from '../../src/core/kernel/ir/statements';
import { blockLookup } from '../../src/core/trace/blockAt';
import { shortened } from '../../src/core/trace/shortened';
import { tileAround, type TileOfC } from '../../src/core/trace/tileOfC';
import { traceBlock } from '../../src/core/trace/traceBlock';
import type { BlockTrace } from '../../src/core/trace/blockTrace';
import type { TaggedElement } from '../../src/core/trace/tags';
import { stateAfter } from '../../src/core/trace/traceState';
import { useAfterPaint } from '../afterPaint';
import { Button, Select } from '../kit';
import { Journey } from './journey';
import { usePlayback } from './playback';
import { RingSteps } from './ringSteps';
import { StepControls } from './stepControls';
import { StepFacts } from './stepFacts';
import { StepPicture } from './stepPicture';

export interface BlockStepsProps {
  readonly kernel: Kernel;
}

interface Traced {
  readonly kernel: LoweredKernel;
  readonly trace: BlockTrace;
  readonly tile: TileOfC;
  readonly lines: ReadonlyMap<Statement, Lines>;
  readonly barriers: readonly Statement[];
}

/** Barrier choice that keeps all barriers. */
const ALL = 'all';

export function BlockSteps({ kernel }: BlockStepsProps): VNode {
  const [started, setStarted] = useState(false);
  if (!started)
    return (
      <div class="steps-start">
        <p>{t('Follow the data of one thread block from global memory to C.')}</p>
        <Button
          kind="primary"
          onPress={() => {
            setStarted(true);
          }}
        >
          {t('Trace a thread block')}
        </Button>
      </div>
    );
  return isLowered(kernel) ? <Tracing kernel={kernel} /> : <RingSteps kernel={kernel} />;
}

function Tracing({ kernel }: BlockStepsProps): VNode {
  const [removed, setRemoved] = useState(ALL);
  const input = useMemo(() => ({ kernel, removed }), [kernel, removed]);
  const { value, stale } = useAfterPaint(input, of => tracedOf(of.kernel, of.removed));
  if (value === null)
    return <div class="awaited" style={{ minBlockSize: '30lh' }} aria-busy="true" />;
  if (!value.ok) return <p class="hint">{t('This kernel has no steps: {0}', value.why)}</p>;
  const { traced } = value;
  return (
    <div class={stale ? 'later stale' : 'later'} aria-busy={stale}>
      <Player key={traced.kernel.specKey + removed} {...traced} />
      <div class="step-barriers">
        <Select
          id="step-barriers"
          label={t('Barriers')}
          value={removed}
          choices={[
            { value: ALL, label: t('with all barriers') },
            ...traced.barriers.map((barrier, i) => ({
              value: String(i),
              label: t(
                'without the barrier in line {0}',
                traced.lines.get(barrier)?.first ?? i + 1,
              ),
            })),
          ]}
          onChoose={setRemoved}
        />
      </div>
    </div>
  );
}

type TracedOrWhy =
  { readonly ok: true; readonly traced: Traced } | { readonly ok: false; readonly why: string };

function tracedOf(whole: Kernel, removed: string): TracedOrWhy {
  const short = shortened(whole);
  if (!short.ok) return short;
  const { kernel } = short;
  const barriers = [...allStatements(kernel.ir.body)].filter(({ op }) => op === 'barrier');
  const at = blockLookup(kernel.plan)({ row: 0, column: 0 }, 0, 0);
  return {
    ok: true,
    traced: {
      kernel,
      trace: traceBlock(kernel, at, { without: barriers[Number(removed)] }),
      tile: tileAround(kernel, { entry: 0, row: 0, column: 0 }),
      lines: statementLines(kernel, kernel),
      barriers,
    },
  };
}

function Player({ kernel, trace, tile, lines }: Traced): VNode {
  const { steps } = trace;
  const { count, playing, play, move } = usePlayback(steps.length);
  const [followed, setFollowed] = useState<TaggedElement | null>(null);
  const state = useMemo(() => stateAfter(trace, count), [trace, count]);
  const total = useMemo(() => stateAfter(trace, steps.length).counters, [trace]);
  const step = steps[count - 1] ?? null;
  const race = steps.findIndex(({ finding }) => finding !== null);
  return (
    <div class="block-steps">
      <StepControls
        numSteps={steps.length}
        count={count}
        playing={playing}
        stops={steps.flatMap(({ statement }, i) => (statement.op === 'barrier' ? [i + 1] : []))}
        stopName="barrier"
        race={race < 0 ? null : race + 1}
        onPlay={play}
        onMove={move}
      />
      <StepPicture
        kernel={kernel}
        trace={trace}
        tile={tile}
        state={state}
        step={step}
        followed={followed}
        onFollow={setFollowed}
      />
      <StepFacts
        kernel={kernel}
        step={step}
        lines={lines}
        counters={state.counters}
        total={total}
      />
      <Journey
        kernel={kernel}
        trace={trace}
        followed={followed}
        onFollow={setFollowed}
        onMove={move}
      />
    </div>
  );
}
