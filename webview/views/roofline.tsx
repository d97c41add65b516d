/** The roofline: the chart that the core lays out, and the same numbers as a table. */
import type { VNode } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Roofline as RooflineData } from '../../src/core/analysis/analysis';
import { curvePath, pointPath } from '../../src/core/analysis/chartSvg';
import type { Chart, Mark } from '../../src/core/analysis/chart';
import { rooflineChart } from '../../src/core/analysis/rooflineChart';
import { formatNumber, formatRate } from '../format';
import { Select } from '../kit';
import type { Message } from '../state';
import { FigureText, OriginTag, Section, Table } from './figure';

export interface RooflineProps {
  readonly roofline: RooflineData;
  /** One a machine: the spec's device, and those that have measured. */
  readonly rooflines: readonly RooflineData[];
  readonly dispatch: (message: Message) => void;
}

export function Roofline({ roofline, rooflines, dispatch }: RooflineProps): VNode {
  return (
    <Section id="roofline" title="Roofline" of={roofline.machine}>
      {rooflines.length < 2 ? null : (
        <Select
          id="machine"
          label="Roofline of"
          value={roofline.machine}
          choices={rooflines.map(({ machine }) => ({ value: machine, label: machine }))}
          onChoose={machine => {
            dispatch({ type: 'view', view: { machine } });
          }}
        />
      )}
      <Drawing roofline={roofline} />
      <dl class="facts">
        <dt>attainable ({roofline.bound} bound)</dt>
        <dd>
          <FigureText figure={roofline.attainable} />
        </dd>
        <dt>device ratio</dt>
        <dd>
          <FigureText figure={roofline.deviceRatio} />
        </dd>
        <dt>problem ratio</dt>
        <dd>
          <FigureText figure={roofline.problemRatio} />
        </dd>
        <dt>kernel ratio, without caches</dt>
        <dd>
          <FigureText figure={roofline.kernelRatio} />
        </dd>
      </dl>
      <Numbers roofline={roofline} />
    </Section>
  );
}

const MIN_WIDTH = 240;

/** As wide as its column, so that its text keeps the size of the page's text. */
function Drawing({ roofline }: { readonly roofline: RooflineData }): VNode {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(MIN_WIDTH);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const measure = () => {
      setWidth(Math.max(MIN_WIDTH, Math.floor(element.clientWidth)));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, []);
  const chart = useMemo(() => {
    const height = Math.round(Math.min(420, Math.max(220, width * 0.62)));
    return rooflineChart(roofline, { width, height });
  }, [roofline, width]);
  return (
    <div ref={frame} class="chart">
      <Picture chart={chart} />
    </div>
  );
}

const Picture = ({ chart }: { readonly chart: Chart }): VNode => (
  <svg
    role="img"
    aria-label={chart.title}
    width={chart.width}
    height={chart.height}
    viewBox={`0 0 ${chart.width} ${chart.height}`}
  >
    {chart.marks.map((mark, index) => (
      <MarkShape key={index} mark={mark} />
    ))}
  </svg>
);

function MarkShape({ mark }: { readonly mark: Mark }): VNode {
  const name = `mark ${mark.role}`;
  switch (mark.kind) {
    case 'line':
      return <line class={name} x1={mark.x1} y1={mark.y1} x2={mark.x2} y2={mark.y2} />;
    case 'curve':
      return <path class={name} d={curvePath(mark)} />;
    case 'text':
      return (
        <text class={name} x={mark.x} y={mark.y} text-anchor={mark.anchor}>
          {mark.text}
        </text>
      );
    case 'point':
      return (
        <path class={`${name} point`} d={pointPath(mark)}>
          <title>{mark.label}</title>
        </path>
      );
  }
}

const POINT_NAMES = {
  attainable: 'attainable, compulsory traffic',
  'without-caches': 'estimate without caches',
  measured: 'measured',
} as const;

const Numbers = ({ roofline }: { readonly roofline: RooflineData }): VNode => (
  <details>
    <summary>The chart as a table</summary>
    <Table
      caption="Ceilings"
      columns={['ceiling', 'value', 'from', 'machine']}
      numeric={[1]}
      rows={roofline.ceilings.map(({ name, value, unit, from, machine }) => [
        name,
        `${formatNumber(value)} ${unit}`,
        <OriginTag from={from} />,
        machine,
      ])}
    />
    <Table
      caption="Points"
      columns={['point', 'FLOP/B', 'rate', 'from', 'machine']}
      numeric={[1, 2]}
      rows={roofline.points.map(({ name, kind, intensity, tflops, from, machine }) => [
        `${name} (${POINT_NAMES[kind]})`,
        formatNumber(intensity),
        formatRate(tflops * 1000),
        <OriginTag from={from} />,
        machine,
      ])}
    />
  </details>
);
