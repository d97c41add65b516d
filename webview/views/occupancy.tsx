/**
 * Occupancy section: resident warps and blocks per SM, the limiting resource, and edits that raise
 * occupancy.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import type { OccupancyReport } from '../../src/core/occupancy/report';
import { limiterName } from '../../src/core/occupancy/limiterName';
import type { Device } from '../../src/core/hardware/devices';
import type { Kernel } from '../../src/core/kernel/kernel';
import type { Analysis } from '../../src/core/report/analysis';
import { formatNumber, formatPercent } from '../format';
import type { Message } from '../state';
import { Button } from '../kit';
import { FigureText, OriginTag, Section } from './figure';
import { later } from './later';

const OccupancyDetails = later(parts => parts.OccupancyDetails, 36);

export interface OccupancyProps {
  readonly kernel: Kernel;
  readonly analysis: Analysis;
  readonly device: Device;
  readonly of: string | undefined;
  /**
   * Selected machine without an occupancy model, such as a WebGPU adapter; null for the device of
   * the spec.
   */
  readonly adapter: string | null;
  readonly dispatch: (message: Message) => void;
}

export function Occupancy(props: OccupancyProps): VNode {
  const { kernel, analysis, device, of, adapter, dispatch } = props;
  const report = analysis.occupancy;
  return (
    <Section id="occupancy" title={t('Occupancy')} of={of}>
      {adapter !== null ? (
        <>
          <p>{t('no occupancy model for {0}', adapter)}</p>
          <Button
            onPress={() => {
              dispatch({ type: 'view', view: { machine: null } });
            }}
          >
            {t('Analyze for {0}', device.name)}
          </Button>
        </>
      ) : report === null ? (
        <p>
          {t(
            'No occupancy rules are published for {0}. Fix: choose an NVIDIA device.',
            device.name,
          )}
        </p>
      ) : (
        <>
          <OccupancyFacts report={report} />
          <OccupancyDetails
            kernel={kernel}
            analysis={analysis}
            report={report}
            device={device}
            dispatch={dispatch}
          />
        </>
      )}
    </Section>
  );
}

/** The occupancy, the limits per resource and the resources of the launch. */
export function OccupancyFacts({ report }: { readonly report: OccupancyReport }): VNode {
  const { blocksPerSm, activeWarps, maxWarps, occupancy, limiters, registers, sharedBytes } =
    report;
  const limits = limiters.map(limiterName).join(', ');
  const held =
    blocksPerSm === 1
      ? t('{0} of {1} warps, 1 block/SM, limited by', activeWarps, maxWarps)
      : t('{0} of {1} warps, {2} blocks/SM, limited by', activeWarps, maxWarps, blocksPerSm);
  return (
    <>
      <p class="headline">
        <span class="number">{formatPercent(occupancy)}</span>{' '}
        <span>
          {held} <b>{limits}</b>
        </span>{' '}
        <OriginTag from="derived" />
      </p>
      <Limits report={report} />
      <dl class="facts">
        <dt>{t('registers per thread')}</dt>
        <dd>
          <FigureText figure={{ ...registers, unit: '' }} />
        </dd>
        <dt>{t('shared memory per block')}</dt>
        <dd>
          <FigureText figure={sharedBytes} />
        </dd>
        <dt>{t('threads per block')}</dt>
        <dd>
          <span class="number">{formatNumber(report.threads)}</span> <OriginTag from="derived" />
        </dd>
      </dl>
    </>
  );
}

function Limits({ report }: { readonly report: OccupancyReport }): VNode {
  const limits = Object.entries(report.limits);
  // Bars are scaled to the block slots per SM; longer bars are clipped.
  const longest = Math.max(1, report.limits['blocks'] ?? Math.max(...Object.values(report.limits)));
  return (
    <table class="bars">
      <caption>{t('Blocks per SM by resource')}</caption>
      <tbody>
        {limits.map(([resource, blocks]) => {
          const limiting = report.limiters.includes(resource);
          return (
            <tr key={resource} class={limiting ? 'limiting' : undefined}>
              <th scope="row">{limiterName(resource)}</th>
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
                <span class="visually-hidden"> {t('blocks')}</span>
              </td>
              <td class="limit">{limiting ? t('limiter') : ''}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
