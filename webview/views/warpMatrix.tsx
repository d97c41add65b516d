/**
 * Requests to global memory: the lanes of a warp on the rows of A, B and C, with the sectors and
 * cache lines below, and the mappings of threads side by side.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Chart } from '../../src/core/charts/chart';
import { captioned } from '../../src/core/charts/chartCaption';
import { pictureLines } from '../../src/core/charts/pictureLines';
import { beside, stacked } from '../../src/core/charts/stacked';
import { matrixName, warpChart, warpLegend } from '../../src/core/charts/warpChart';
import { mappingName, warpVariantChart } from '../../src/core/charts/warpVariantChart';
import { warpVariants, type WarpVariant } from '../../src/core/charts/warpVariants';
import type { Device } from '../../src/core/hardware/devices';
import type { Kernel } from '../../src/core/kernel/kernel';
import type { GlobalAccess, SiteName } from '../../src/core/memory/access';
import { placedRequest, warpsOf, type PlacedRequest } from '../../src/core/memory/placedRequest';
import { operandOf } from '../../src/core/spec/resolved';
import { useAfterPaint } from '../afterPaint';
import { Select } from '../kit';
import { svgOf } from '../picture';
import { useStaticPage } from '../staticPage';
import { Disclosure } from './disclosure';
import { Held } from './held';
import { MarkShape } from './rooflineMark';
import { FoldedSave } from './savePicture';
import { SectorCaption, SectorTable } from './sectorTable';

export interface WarpRequestsProps {
  readonly kernel: Kernel;
  readonly device: Device;
  readonly sites: readonly GlobalAccess[];
}

/** Choice of the worst-case request of all warps. */
const WORST = 'worst';

/** Returns one site per name and operation, because the first site represents the others. */
const distinct = (sites: readonly SiteName[]): readonly SiteName[] =>
  sites.filter(
    ({ site, op }, index) =>
      sites.findIndex(other => other.site === site && other.op === op) === index,
  );

export function WarpRequests({ kernel, device, sites }: WarpRequestsProps): VNode {
  const isStatic = useStaticPage();
  const [chosen, setChosen] = useState(WORST);
  const named = distinct(sites);
  const warps = Math.max(1, ...named.map(site => warpsOf(kernel, site)));
  // A smaller block may have no such warp.
  const choice = Number(chosen) < warps ? chosen : WORST;
  const requests = useMemo(
    () =>
      named.map(site => ({
        site,
        placed: placedRequest(kernel, site, choice === WORST ? null : Number(choice)),
      })),
    [kernel, choice],
  );
  const drawn = requests.flatMap(({ placed }) => placed ?? []);
  return (
    <div class="later">
      {isStatic ? null : (
        <div class="warp-choice">
          <span aria-hidden="true">{t('Warp')}</span>
          <Select
            id="warp-of-requests"
            label={t('Warp whose requests are drawn')}
            value={choice}
            choices={[
              { value: WORST, label: t('with the worst-case request') },
              ...Array.from({ length: warps }, (_, warp) => ({
                value: String(warp),
                label: t('warp {0} of the block', warp),
              })),
            ]}
            onChoose={setChosen}
          />
        </div>
      )}
      {requests.map(({ site, placed }) =>
        placed === null ? (
          <p key={`${site.site} ${site.op}`} class="hint">
            {t('This warp does not execute {0}.', site.site)}
          </p>
        ) : (
          <WarpRequest key={`${site.site} ${site.op}`} kernel={kernel} placed={placed} />
        ),
      )}
      <p class="hint">
        {t(
          'Numbers in cells are lanes, and orange lines separate 32-byte sectors. Below each matrix, a cache line has four sectors; the bar in a sector is its used part.',
        )}
      </p>
      {drawn.length === 0 ? null : (
        <FoldedSave
          picture={{ name: 'requests', svg: svgOf(() => requestsPicture(kernel, device, drawn)) }}
        />
      )}
    </div>
  );
}

function WarpRequest(props: { readonly kernel: Kernel; readonly placed: PlacedRequest }): VNode {
  const { kernel, placed } = props;
  const { request } = placed;
  return (
    <>
      <figure class="request">
        <figcaption>
          {placeText(placed, kernel)}{' '}
          <SectorCaption
            request={request}
            layout={
              request.operand === 'workspace'
                ? null
                : operandOf(kernel.spec.problem, request.operand)
            }
          />
        </figcaption>
        <Picture chart={warpChart(placed, kernel.problem)} label={placeText(placed, kernel)} />
      </figure>
      <Disclosure summary={t('Table of the sectors of {0}', request.site)} repeats>
        {() => <SectorTable request={request} />}
      </Disclosure>
    </>
  );
}

/** States where the lanes are: the ranges of rows and columns, and the size of the matrix. */
function placeText(placed: PlacedRequest, { problem }: Kernel): string {
  const { request, lanes, layout, width, entry } = placed;
  const places = lanes.filter(lane => lane !== null);
  const span = (indices: readonly number[], count: number): readonly [number, number] => [
    Math.min(...indices),
    Math.max(...indices) + count - 1,
  ];
  const rows = span(
    places.map(({ row }) => row),
    layout === 'row' ? 1 : width,
  );
  const columns = span(
    places.map(({ column }) => column),
    layout === 'row' ? width : 1,
  );
  const where = t('{0}: lanes on {1}, {2}', request.site, rowsText(rows), columnsText(columns));
  if (request.operand === 'workspace') return t('{0} of the {1}.', where, matrixName(placed));
  const size = operandOf(problem, request.operand);
  const matrix = t('{0} ({1} x {2})', matrixName(placed), size.rows, size.columns);
  const of =
    problem.batch === 1
      ? t('{0} of {1}.', where, matrix)
      : t('{0} of {1}, batch entry {2}.', where, matrix, entry);
  return width === 1 ? of : `${of} ${t('A cell is {0} elements.', width)}`;
}

const rowsText = ([from, to]: readonly [number, number]): string =>
  from === to ? t('row {0}', from) : t('rows {0} to {1}', from, to);
const columnsText = ([from, to]: readonly [number, number]): string =>
  from === to ? t('column {0}', from) : t('columns {0} to {1}', from, to);

const Picture = ({ chart, label }: { readonly chart: Chart; readonly label: string }): VNode => (
  <div class="table" role="region" aria-label={label} tabIndex={0}>
    <svg
      class="warp-picture"
      width={chart.width}
      height={chart.height}
      viewBox={`0 0 ${chart.width} ${chart.height}`}
      aria-hidden="true"
    >
      {chart.marks.map((mark, index) => (
        <MarkShape key={index} mark={mark} />
      ))}
    </svg>
  </div>
);

function requestsPicture(
  kernel: Kernel,
  device: Device,
  requests: readonly PlacedRequest[],
): Chart {
  const title = t('Lanes of a warp on the matrices, with their sectors');
  const charts = requests.map(placed => warpChart(placed, kernel.problem));
  return captioned(stacked(charts, title), {
    title,
    lines: pictureLines(kernel.spec, device.name),
    legend: warpLegend(),
  });
}

export interface WarpVariantsProps {
  readonly kernel: Kernel;
  readonly device: Device;
}

export function WarpVariants({ kernel, device }: WarpVariantsProps): VNode {
  const { value, stale } = useAfterPaint(kernel, warpVariants);
  if (value === null)
    return <div class="awaited" style={{ minBlockSize: '20lh' }} aria-busy="true" />;
  return (
    <div class={stale ? 'later stale' : 'later'} aria-busy={stale}>
      <Held stale={stale}>
        {() => <Variants variants={value} kernel={kernel} device={device} />}
      </Held>
    </div>
  );
}

function Variants(props: WarpVariantsProps & { readonly variants: readonly WarpVariant[] }): VNode {
  const { variants, kernel, device } = props;
  if (variants.length === 0)
    return <p class="hint">{t('No kernel without tiles is legal for this problem.')}</p>;
  return (
    <>
      <div class="warp-variants">
        {variants.map(variant => (
          <Variant key={variant.mapping} {...variant} />
        ))}
      </div>
      <p class="hint">
        {t('One thread per element of C: a warp on A, B and C, and the sectors of its requests.')}
      </p>
      <FoldedSave
        picture={{ name: 'requests', svg: svgOf(() => variantsPicture(kernel, device, variants)) }}
      />
    </>
  );
}

function Variant(variant: WarpVariant): VNode {
  const chart = warpVariantChart(variant);
  const { block } = variant.kernel;
  const size = t('{0} x {1} threads', block.x, block.y);
  return (
    <figure>
      <figcaption>
        <b>{mappingName(variant.mapping)}</b>{' '}
        {variant.isCurrent ? t('({0}, this kernel)', size) : `(${size})`}
        <p class="number">{costsText(variant)}</p>
      </figcaption>
      <svg
        width={chart.width}
        height={chart.height}
        viewBox={`0 0 ${chart.width} ${chart.height}`}
        role="img"
        aria-label={variantText(variant)}
      >
        {chart.marks.map((mark, index) => (
          <MarkShape key={index} mark={mark} />
        ))}
      </svg>
    </figure>
  );
}

const costsText = ({ requests }: WarpVariant): string =>
  t(
    'Sectors: {0}',
    requests.map(placed => `${matrixName(placed)} ${placed.request.cost}`).join(', '),
  );

const variantText = (variant: WarpVariant): string =>
  `${mappingName(variant.mapping)}. ${costsText(variant)}`;

function variantsPicture(kernel: Kernel, device: Device, variants: readonly WarpVariant[]): Chart {
  const title = t('A warp over A, B and C, by mapping of the threads');
  const charts = variants.map(variant => stacked([warpVariantChart(variant)], ''));
  return captioned(beside(charts, title), {
    title,
    lines: pictureLines(kernel.spec, device.name),
    legend: [{ role: 'bar', shape: 'square', text: t('element or byte that the warp uses') }],
  });
}
