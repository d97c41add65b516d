/** Memory: traffic of the whole problem, and what each access costs a full warp. */
import type { VNode } from 'preact';
import type { Analysis, Figure, Note } from '../../src/core/analysis/analysis';
import { formatNumber, formatPercent } from '../format';
import { FigureText, OriginTag, Section, Table } from './figure';

export interface MemoryProps {
  readonly analysis: Analysis;
  readonly of: string;
}

export function Memory({ analysis, of }: MemoryProps): VNode {
  const { globalMemory, sharedMemory, traffic } = analysis;
  return (
    <Section id="memory" title="Memory access" of={of}>
      <dl class="facts">
        <Fact name="DRAM, each operand once" figure={traffic.dram} />
        <Fact name="L2, as the tiles ask for it" figure={traffic.l2} />
        <Fact name="shared memory" figure={traffic.shared} />
      </dl>
      <Accesses
        caption="Global memory: 32-byte sectors a request"
        unit="sectors"
        rows={globalMemory.map(row => ({
          ...row,
          cost: row.sectorsPerRequest,
          ideal: row.idealSectors,
        }))}
      />
      <Accesses
        caption="Shared memory: wavefronts a request"
        unit="wavefronts"
        rows={sharedMemory.map(row => ({
          ...row,
          cost: row.wavefrontsPerRequest,
          ideal: row.idealWavefronts,
        }))}
      />
    </Section>
  );
}

const Fact = ({ name, figure }: { readonly name: string; readonly figure: Figure }): VNode => (
  <>
    <dt>{name}</dt>
    <dd>
      <FigureText figure={figure} />
    </dd>
  </>
);

interface AccessRow {
  readonly site: string;
  readonly widthBytes: number;
  readonly cost: number;
  readonly ideal: number;
}

function Accesses(props: {
  caption: string;
  unit: string;
  rows: readonly AccessRow[];
}): VNode | null {
  const { caption, unit, rows } = props;
  if (rows.length === 0) return null;
  return (
    <>
      <h3>
        {caption} <OriginTag from="derived" />
      </h3>
      <Table
        caption={caption}
        columns={['access', 'width', unit, 'ideal', 'cost']}
        numeric={[1, 2, 3, 4]}
        rows={rows.map(({ site, widthBytes, cost, ideal }) => [
          site,
          `${widthBytes} B`,
          formatNumber(cost),
          formatNumber(ideal),
          <span class={cost > ideal ? 'costly' : undefined}>{formatNumber(cost / ideal)}x</span>,
        ])}
      />
    </>
  );
}

export function Waves({ analysis, of }: MemoryProps): VNode | null {
  const { waves } = analysis;
  if (waves === null) return null;
  return (
    <Section id="waves" title="Waves" of={of}>
      <dl class="facts">
        <Count name="tiles of C" text={formatNumber(waves.tiles)} />
        <Count name="blocks a wave" text={formatNumber(waves.blocksPerWave)} />
        <Count name="waves" text={formatNumber(waves.waves)} />
        <Count name="efficiency of all waves" text={formatPercent(waves.efficiency)} />
        <Count name="FLOP on padding" text={formatPercent(waves.paddingFlopFraction)} />
      </dl>
    </Section>
  );
}

const Count = ({ name, text }: { readonly name: string; readonly text: string }): VNode => (
  <>
    <dt>{name}</dt>
    <dd>
      <span class="number">{text}</span> <OriginTag from="derived" />
    </dd>
  </>
);

const LEVELS: Readonly<Record<Note['level'], string>> = {
  info: 'Note',
  advice: 'Advice',
  warning: 'Warning',
};

export function Notes({ notes }: { readonly notes: readonly Note[] }): VNode | null {
  if (notes.length === 0) return null;
  return (
    <Section id="notes" title="Notes">
      <ul class="notes">
        {notes.map(({ level, text }) => (
          <li key={text} class={level}>
            <b>{LEVELS[level]}</b> {text}
          </li>
        ))}
      </ul>
    </Section>
  );
}
