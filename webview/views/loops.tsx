/** Section "Loops": the loop nest of the kernel, which can be reordered, split and assigned. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Kernel } from '../../src/core/kernel/kernel';
import type { LoopNest, LoopProblem } from '../../src/core/nests/nest';
import { loopProblem, nestOfPlan } from '../../src/core/nests/nestOfPlan';
import { NEST_PRESETS, presetNamed } from '../../src/core/nests/presets';
import { nestReport } from '../../src/core/nests/report';
import { scheduleOfNest } from '../../src/core/nests/scheduleOfNest';
import { nestText } from '../../src/core/nests/text';
import type { GemmSpec } from '../../src/core/spec/schema';
import { formatNumber } from '../format';
import { Button, Select } from '../kit';
import type { Message } from '../state';
import { Disclosure } from './disclosure';
import { LoopFacts } from './loopFacts';
import { LoopPrograms } from './loopPrograms';
import { LoopRows } from './loopRows';
import { LoopSweep } from './loopSweep';

export interface LoopsProps {
  readonly kernel: Kernel;
  readonly spec: GemmSpec | null;
  readonly dispatch: (message: Message) => void;
}

/** Choice that starts from the nest of the kernel. */
const KERNEL = 'kernel';
/** Choice of the problem of the spec. */
const PROBLEM = 'problem';

const SIZES: Readonly<Record<string, Pick<LoopProblem, 'm' | 'n' | 'k'>>> = {
  '16x16x8': { m: 16, n: 16, k: 8 },
  '64x64x64': { m: 64, n: 64, k: 64 },
  '100x70x50': { m: 100, n: 70, k: 50 },
};

const sizeText = ({ m, n, k }: Pick<LoopProblem, 'm' | 'n' | 'k'>): string =>
  `${formatNumber(m)} x ${formatNumber(n)} x ${formatNumber(k)}`;

export function Loops({ kernel, spec, dispatch }: LoopsProps): VNode {
  const planned = useMemo(() => nestOfPlan(kernel.plan), [kernel]);
  const kernelNest = 'nest' in planned ? planned.nest : null;
  const [start, setStart] = useState(kernelNest === null ? 'ijk' : KERNEL);
  const [edited, setEdited] = useState<LoopNest | null>(null);
  const [selected, setSelected] = useState(0);
  const [size, setSize] = useState('64x64x64');
  const initial = start === KERNEL ? kernelNest : (presetNamed(start)?.nest ?? null);
  const nest = edited ?? initial ?? NEST_PRESETS[0]?.nest ?? [];
  const at = Math.min(selected, nest.length - 1);
  const whole = loopProblem(kernel.plan);
  const problem = useMemo(
    () => ({ ...(SIZES[size] ?? whole), dtype: whole.dtype }),
    [size, whole.m, whole.n, whole.k, whole.dtype],
  );
  const report = useMemo(() => nestReport(nest, problem), [nest, problem]);
  const change = (to: LoopNest, position: number): void => {
    setEdited(to);
    setSelected(position);
  };
  const choose = (id: string): void => {
    setStart(id);
    setEdited(null);
    setSelected(0);
  };
  return (
    <div class="loops">
      <p class="lead">
        {t(
          'C = A B is three loops. Their order, their steps and the level at which their iterations run make the kernel.',
        )}
      </p>
      <div class="loop-choices">
        <label>
          {t('Start from')}{' '}
          <Select
            id="loops-start"
            label={t('Start from')}
            value={start}
            choices={[
              ...(kernelNest === null ? [] : [{ value: KERNEL, label: t('this kernel') }]),
              ...NEST_PRESETS.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChoose={choose}
          />
        </label>
        <label>
          {t('Size')}{' '}
          <Select
            id="loops-size"
            label={t('Size')}
            value={size}
            choices={[
              ...Object.entries(SIZES).map(([value, of]) => ({ value, label: sizeText(of) })),
              { value: PROBLEM, label: t('problem: {0}', sizeText(whole)) },
            ]}
            onChoose={setSize}
          />
        </label>
        {edited === null ? null : (
          <Button
            onPress={() => {
              choose(start);
            }}
          >
            {t('Reset')}
          </Button>
        )}
        {nest === kernelNest ? null : (
          <UseNest {...{ nest, problem: whole, kernel, spec, dispatch }} />
        )}
      </div>
      <p class="hint">
        {start === KERNEL
          ? 'notes' in planned
            ? [t('Loop nest of {0}.', kernel.fileName), ...planned.notes].join(' ')
            : ''
          : (presetNamed(start)?.about ?? '')}
        {'why' in planned ? ` ${t('This kernel has no such nest: {0}', planned.why)}` : ''}
      </p>
      <div class="loop-columns">
        <div>
          <LoopRows
            nest={nest}
            report={report}
            selected={at}
            onSelect={setSelected}
            onChange={change}
          />
          <LoopFacts nest={nest} problem={problem} report={report} selected={at} />
        </div>
        <LoopPrograms nest={nest} problem={problem} report={report} selected={at} />
      </div>
      {report.loops === null ? null : (
        <Disclosure summary={t('Play the loops')}>
          {() => <LoopSweep nest={nest} dtype={problem.dtype} />}
        </Disclosure>
      )}
    </div>
  );
}

interface UseNestProps extends LoopsProps {
  readonly nest: LoopNest;
  readonly problem: LoopProblem;
}

/** Applies the schedule whose kernel has this nest. */
function UseNest({ nest, problem, kernel, spec, dispatch }: UseNestProps): VNode | null {
  const schedule = useMemo(
    () => (spec === null ? null : scheduleOfNest(nest, problem, { spec, target: kernel.target })),
    [nestText(nest), spec, kernel.target],
  );
  if (schedule === null) return null;
  return (
    <Button
      onPress={() => {
        dispatch({ type: 'choose', changes: { schedule } });
      }}
    >
      {t('Use as schedule: {0}', schedule.algorithm ?? '')}
    </Button>
  );
}
