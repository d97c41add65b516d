/** Body of a capsule: the sections of the explorer without their controls. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import type { Kernel } from '../../src/core/kernel/kernel';
import { TARGETS } from '../../src/core/spec/schema';
import type { Measurement } from '../../src/core/measure/measurement';
import { isKernel, type Derived } from '../derive';
import type { State } from '../state';
import { StaticPage } from '../staticPage';
import { Memory, Notes, TensorCores, Waves } from '../views/memory';
import { Occupancy } from '../views/occupancy';
import { otherMachine } from '../views/overview';
import { Results } from '../views/results';
import { Section } from '../views/figure';
import { TileMap } from '../views/tileMap';
import { Verdict } from '../views/verdict';
import type { Detail } from './detail';
import { Head, Reproduce, type ReproduceProps } from './head';
import { RunsTable } from './runs';
import { KernelSection, RooflineSection } from './sections';

export interface CapsulePageProps {
  readonly state: State;
  readonly derived: Derived;
  readonly title: string;
  readonly version: string;
  readonly reproduce: ReproduceProps;
  readonly detail: Detail;
}

const IGNORE = { dispatch: (): void => undefined };

export function CapsulePage(props: CapsulePageProps): VNode {
  const { derived, title, version, reproduce, detail } = props;
  const { shown } = derived;
  return (
    <StaticPage.Provider value={true}>
      <Head {...{ derived, title, version }} />
      <main>
        <Results
          newest={derived.newest}
          earlier={[]}
          rooflines={shown.ok ? shown.rooflines : []}
          after={<RunsTable runs={runsOf(derived, detail.earlierRuns)} />}
        />
        <Reproduce {...reproduce} />
        {shown.ok ? <Analysis {...props} shown={shown} /> : null}
        <KernelSection
          kernels={kernelsOf(derived)}
          colors={detail.colors}
          sourceCharacters={detail.sourceCharacters}
        />
      </main>
    </StaticPage.Provider>
  );
}

/** Returns the runs of the spec, newest first, with at most `earlier` earlier runs. */
function runsOf(derived: Derived, earlier: number): readonly Measurement[] {
  const older = earlier === 0 ? [] : derived.earlier.slice(-earlier);
  const runs = [...older, ...derived.newest.map(({ run }) => run)];
  return runs.toSorted((one, other) => (other.at ?? '').localeCompare(one.at ?? ''));
}

export const kernelsOf = ({ kernels, target }: Derived): readonly Kernel[] =>
  TARGETS.toSorted((one, other) => Number(other === target) - Number(one === target)).flatMap(
    name => {
      const kernel = kernels[name];
      return isKernel(kernel) ? [kernel] : [];
    },
  );

type AnalysisProps = CapsulePageProps & {
  readonly shown: Extract<Derived['shown'], { readonly ok: true }>;
};

function Analysis({ state, derived, shown }: AnalysisProps): VNode {
  const { runs } = state;
  const { kernel, analysis, onDevice, roofline } = shown;
  const { device } = derived;
  const of = otherMachine(derived, shown);
  return (
    <>
      <Section id="tiles" title={t('Tiles')}>
        <TileMap
          kernel={kernel}
          waves={analysis.waves}
          spec={null}
          cursor={null}
          SaveMap={() => null}
          after={<></>}
          {...IGNORE}
        />
      </Section>
      {state.spec === null ? null : (
        <Verdict
          {...{ kernel, analysis, device, of }}
          spec={state.spec}
          pinned={null}
          {...IGNORE}
        />
      )}
      <Occupancy
        {...{ kernel, analysis, device, of }}
        adapter={roofline.machine === device.name ? null : roofline.machine}
        {...IGNORE}
      />
      <RooflineSection {...{ derived, shown, runs }} />
      <Memory {...{ kernel, device, of }} analysis={onDevice} {...IGNORE} />
      <TensorCores {...{ kernel, device, of }} analysis={onDevice} />
      <Waves
        {...{ analysis, device, of }}
        plan={kernel.plan}
        spec={null}
        runs={[runs]}
        {...IGNORE}
      />
      <Notes notes={analysis.notes} />
    </>
  );
}
