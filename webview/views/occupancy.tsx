/** Occupancy: what an SM holds of this kernel, as one bar a resource, with the one that limits it named. */
import type { VNode } from 'preact';
import type { Analysis, OccupancyReport } from '../../src/core/analysis/analysis';
import { formatNumber, formatPercent } from '../format';
import { FigureText, OriginTag, Section } from './figure';

const RESOURCE_NAMES: Readonly<Record<string, string>> = {
  threads: 'threads',
  registers: 'registers',
  'shared-memory': 'shared memory',
  blocks: 'block slots',
};
export const nameOf = (resource: string): string => RESOURCE_NAMES[resource] ?? resource;

export interface OccupancyProps {
  readonly analysis: Analysis;
  readonly device: string;
}

export function Occupancy({ analysis, device }: OccupancyProps): VNode {
  const report = analysis.occupancy;
  return (
    <Section id="occupancy" title="Occupancy" of={device}>
      {report === null ? (
        <p>{device} has no published occupancy rules. Choose an NVIDIA device to see them.</p>
      ) : (
        <Report report={report} />
      )}
    </Section>
  );
}

function Report({ report }: { readonly report: OccupancyReport }): VNode {
  const { blocksPerSm, activeWarps, maxWarps, occupancy, limiters, registers, sharedBytes } =
    report;
  return (
    <>
      <p class="headline">
        <span class="number">{formatPercent(occupancy)}</span>{' '}
        <span>
          {activeWarps} of {maxWarps} warps, {blocksPerSm} {blocksPerSm === 1 ? 'block' : 'blocks'}{' '}
          an SM, limited by <b>{limiters.map(nameOf).join(', ')}</b>
        </span>{' '}
        <OriginTag from="derived" />
      </p>
      <Limits report={report} />
      <dl class="facts">
        <dt>registers a thread</dt>
        <dd>
          <FigureText figure={{ ...registers, unit: '' }} />
        </dd>
        <dt>shared memory a block</dt>
        <dd>
          <FigureText figure={sharedBytes} />
        </dd>
        <dt>threads a block</dt>
        <dd>
          <span class="number">{formatNumber(report.threads)}</span> <OriginTag from="derived" />
        </dd>
      </dl>
    </>
  );
}

/** Blocks an SM could hold if that resource alone counted; the shortest bar decides. */
function Limits({ report }: { readonly report: OccupancyReport }): VNode {
  const limits = Object.entries(report.limits);
  // An SM has no more slots than these, so what lies beyond them decides nothing.
  const longest = Math.max(1, report.limits['blocks'] ?? Math.max(...Object.values(report.limits)));
  return (
    <table class="bars">
      <caption class="visually-hidden">
        Blocks an SM could hold if that resource alone counted
      </caption>
      <tbody>
        {limits.map(([resource, blocks]) => {
          const limiting = report.limiters.includes(resource);
          return (
            <tr key={resource} class={limiting ? 'limiting' : undefined}>
              <th scope="row">{nameOf(resource)}</th>
              <td class="bar">
                <svg width="100%" height="10" aria-hidden="true">
                  <rect class="track" width="100%" height="10" />
                  <rect
                    class="fill"
                    width={`${Math.min(100, (100 * blocks) / longest)}%`}
                    height="10"
                  />
                </svg>
              </td>
              <td class="number">
                {blocks}
                <span class="visually-hidden"> blocks{limiting ? ', the limiter' : ''}</span>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
