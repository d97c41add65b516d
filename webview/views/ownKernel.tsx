/**
 * Page of an edited or hand-written kernel: its roofline and measurements, and the occupancy and
 * accesses of its compiled code.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { kernelOnRoofline, rooflines } from '../../src/core/roofline/machineRoofline';
import { DEFAULT_DEVICE, deviceOf, findDevice } from '../../src/core/hardware/devices';
import { resolve } from '../../src/core/defaults/resolve';
import { formatNumber } from '../format';
import { Select } from '../kit';
import type { Message, State } from '../state';
import { newestRuns } from '../../src/core/measure/newestRuns';
import { CompiledAnalysis } from './compiledAnalysis';
import { Results } from './results';
import { Roofline } from './roofline';

export interface OwnKernelProps {
  readonly own: NonNullable<State['own']>;
  readonly state: State;
  readonly dispatch: (message: Message) => void;
}

export function OwnKernel({ own, state, dispatch }: OwnKernelProps): VNode {
  const { name, entry, origin, sourceHash, specKey, spec } = own;
  const { runs, localRuns } = state;
  const { problem, device } = useMemo(() => resolve(spec), [spec]);
  const mine = useMemo(
    () =>
      [...runs, ...localRuns].filter(
        run => run.sourceHash === sourceHash && run.specKey === specKey,
      ),
    [runs, localRuns, sourceHash, specKey],
  );
  const of = findDevice(device) ?? deviceOf(DEFAULT_DEVICE);
  const all = useMemo(() => {
    const { roofline, machineRooflines } = rooflines(kernelOnRoofline(problem, null), of, mine);
    return [roofline, ...machineRooflines] as const;
  }, [problem, device, mine]);
  const newest = useMemo(() => newestRuns(mine, () => true), [mine]);
  const roofline = all.find(({ machine }) => machine === state.view.machine) ?? all[0];
  const sizes = [problem.m, problem.n, problem.k].map(formatNumber).join(' x ');
  return (
    <>
      <header class="top">
        <div class="title">
          <div>
            <h1>
              <code>{entry}</code>, <span class="number">{sizes}</span> {problem.a.dtype}
            </h1>
            <p class="of">{name}</p>
          </div>
          {all.length < 2 ? null : (
            <div class="machine-fields">
              <Select
                id="machine"
                label={t('Machine')}
                value={roofline.machine}
                choices={all.map(({ machine }) => ({ value: machine, label: machine }))}
                onChoose={machine => {
                  dispatch({ type: 'view', view: { machine } });
                }}
              />
            </div>
          )}
        </div>
        <p role="status" class="hint">
          {origin === 'edited'
            ? t(
                'This kernel source was edited after generation: its figures are from compiled code and runs.',
              )
            : t('This kernel is hand-written: its figures are from compiled code and runs.')}
        </p>
      </header>
      <main class="columns own">
        <CompiledAnalysis own={own} device={of} compiled={state.compiled} />
        <div class="column analyse">
          <Roofline {...{ roofline, problem, sourceHash, state }} of={`${entry}, ${name}`} />
          <Results
            newest={newest}
            earlier={mine.filter(made => newest.every(({ run }) => run !== made))}
            rooflines={all}
          />
        </div>
      </main>
    </>
  );
}
