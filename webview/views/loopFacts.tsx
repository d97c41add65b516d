/** Facts about a loop nest: legality, parallel loops, launch, result and cache misses. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import {
  cacheOf,
  countLines,
  isTraceable,
  missesOf,
  SMALL_CACHE_BYTES,
} from '../../src/core/nests/cacheLines';
import { nestKernel } from '../../src/core/nests/kernel';
import type { LoopNest, LoopProblem } from '../../src/core/nests/nest';
import { NEST_PRESETS } from '../../src/core/nests/presets';
import type { NestReport } from '../../src/core/nests/report';
import { simulateNest } from '../../src/core/nests/simulateNest';
import { useAfterPaint } from '../afterPaint';
import { formatNumber } from '../format';
import { Table } from './figure';

export interface LoopFactsProps {
  readonly nest: LoopNest;
  readonly problem: LoopProblem;
  readonly report: NestReport;
  readonly selected: number;
}

export function LoopFacts({ nest, problem, report, selected }: LoopFactsProps): VNode {
  const { violations, launch, loops } = report;
  const loop = loops?.[selected];
  // Several loops can have the same message.
  const problems = new Set([
    ...violations.sequential.map(({ message }) => message),
    ...violations.cuda.map(({ message }) => t('Not in CUDA: {0}', message)),
    ...violations.wgsl
      .filter(({ message }) => !violations.cuda.some(other => other.message === message))
      .map(({ message }) => t('Not in WGSL: {0}', message)),
  ]);
  return (
    <div class="loop-facts">
      <div role="status">
        {problems.size === 0 ? (
          <p>{t('The nest is legal in Python, CUDA and WGSL.')}</p>
        ) : (
          [...problems].map(message => (
            <p key={message} class="error">
              {message}
            </p>
          ))
        )}
        {loop === undefined ? null : (
          <p>
            {loop.parallel
              ? t('The iterations of {0} may run in parallel. {1}', loop.variable, loop.why)
              : t('The iterations of {0} may not run in parallel. {1}', loop.variable, loop.why)}
          </p>
        )}
      </div>
      {launch === null ? null : (
        <p>
          {t(
            'Thread blocks: {0}. Threads per block: {1}. Shared memory per block: {2} bytes.',
            formatNumber(launch.grid.x * launch.grid.y * launch.grid.z),
            formatNumber(launch.threads),
            formatNumber(launch.sharedBytes),
          )}{' '}
          {launch.accumulators === null
            ? t('C holds the accumulators.')
            : t('Accumulators per thread: {0}.', formatNumber(launch.accumulators))}
        </p>
      )}
      {launch === null ? null : <Simulated nest={nest} problem={problem} />}
      <Misses nest={nest} problem={problem} report={report} />
    </div>
  );
}

/** Largest extent of the simulated problem, so that a simulation takes a fraction of a second. */
const MAX_SIMULATED = 40;

function Simulated({ nest, problem }: Pick<LoopFactsProps, 'nest' | 'problem'>): VNode | null {
  const input = useMemo(() => {
    const within = (extent: number): number => Math.min(extent, MAX_SIMULATED);
    const { m, n, k, dtype } = problem;
    return { nest, problem: { m: within(m), n: within(n), k: within(k), dtype } };
  }, [nest, problem]);
  const { value, stale } = useAfterPaint(input, of => ({
    ...of.problem,
    ...simulateNest(nestKernel(of.nest, of.problem, 'cuda'), 1),
  }));
  if (value === null) return null;
  const { m, n, k, findings, verification } = value;
  const size = `${m} x ${n} x ${k}`;
  const [first] = findings;
  return (
    <p class={stale ? 'stale' : undefined} role="status">
      {first !== undefined
        ? t('Simulated at {0}: {1}', size, first.message)
        : verification.mismatches === 0
          ? t('Simulated at {0}: C is correct.', size)
          : t('Simulated at {0}: {1} elements of C are wrong.', size, verification.mismatches)}
    </p>
  );
}

/** Nests whose cache misses are shown beside those of the current nest. */
const COMPARED = ['ijk', 'kij', 'ikj', 'tiled'];

function Misses({
  problem,
  report,
}: Pick<LoopFactsProps, 'nest' | 'problem' | 'report'>): VNode | null {
  const others = useAfterPaint(problem, of =>
    NEST_PRESETS.filter(({ id }) => COMPARED.includes(id)).map(({ name, nest }) => ({
      name,
      counts: !isTraceable(nest, of) ? null : countLines(nest, of, cacheOf(SMALL_CACHE_BYTES)),
    })),
  );
  if (report.loops === null) return null;
  if (report.cacheLines === null)
    return (
      <p class="hint">
        {t('Cache misses are counted for problems of up to 2^20 FMAs. Choose a smaller size.')}
      </p>
    );
  const compared = [{ name: t('this nest'), counts: report.cacheLines }, ...(others.value ?? [])];
  const most = Math.max(
    1,
    ...compared.map(({ counts }) => (counts === null ? 0 : missesOf(counts))),
  );
  const rows = compared.flatMap(({ name, counts }) =>
    counts === null
      ? []
      : [
          [
            name,
            formatNumber(counts.misses.a),
            formatNumber(counts.misses.b),
            formatNumber(counts.misses.c),
            <Bar count={missesOf(counts)} most={most} />,
          ],
        ],
  );
  return (
    <Table
      caption={t(
        'Cache misses of the loops one after another, in a cache of {0} bytes with lines of 64 bytes',
        formatNumber(SMALL_CACHE_BYTES),
      )}
      captionShown
      columns={[t('loops'), 'A', 'B', 'C', t('all')]}
      rows={rows}
      numeric={[1, 2, 3, 4]}
    />
  );
}

interface BarProps {
  readonly count: number;
  /** Count of the longest bar. */
  readonly most: number;
}

const Bar = ({ count, most }: BarProps): VNode => (
  <span class="miss-bar">
    <svg width="100%" height="10" aria-hidden="true">
      <rect class="track" width="100%" height="10" />
      <rect class="fill" width={`${(100 * count) / most}%`} height="10" />
    </svg>
    {formatNumber(count)}
  </span>
);
