/** Request diagrams, bank-conflict remedies and traffic per memory level, computed on demand. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { warpAccesses } from '../../../src/core/memory/accesses';
import { analyze } from '../../../src/core/report/analyze';
import { bankRemedies } from '../../../src/core/report/bankRemedies';
import { bankPicture } from '../../../src/core/charts/bankDiagram';
import { drawnRequest, type DrawnRequest } from '../../../src/core/memory/drawnRequest';
import { lanesText, pictureText } from '../../../src/core/charts/pictureText';
import { sectorPicture } from '../../../src/core/charts/sectorPicture';
import type { Kernel } from '../../../src/core/kernel/kernel';
import { specs } from '../../helpers/specs';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { cube, H200, kernelOf, legal, tiled, warped } from '../../helpers/cudaKernels';
import { isEnough, runs } from '../../helpers/depth';

const draw = (kernel: Kernel, site: string, op: 'load' | 'store'): DrawnRequest => {
  const drawn = drawnRequest(kernel, { site, op });
  assert.ok(drawn !== null, site);
  return drawn;
};

/**
 * K ends within the tile: no request of A has all lanes, and the one with most lanes is not the
 * worst.
 */
const NONE_FULL: GemmSpec = {
  problem: { m: 1, n: 1, k: 2 },
  schedule: {
    algorithm: 'vectorized',
    block: { m: 32, n: 1, k: 5 },
    thread: { m: 1, n: 1 },
  },
};

describe('request diagrams', () => {
  it('exist for every site, and cost at most its worst-case request', function () {
    this.timeout(60_000);
    let sites = 0;
    fc.assert(
      fc.property(specs, spec => {
        const kernel = kernelOf(spec);
        if (kernel === null) return;
        const { global, shared } = warpAccesses(kernel);
        for (const site of shared) {
          const drawn = draw(kernel, site.site, site.op);
          const picture = bankPicture(drawn);
          assert.equal(picture.wavefronts + drawn.throughL1, drawn.cost, site.site);
          assert.ok(drawn.cost >= site.wavefrontsPerRequest - 1e-9, site.site);
          assert.ok(picture.conflicts >= 0 && drawn.share > 0 && drawn.share <= 1);
          const served = picture.phases.flatMap(({ wavefronts }) =>
            wavefronts.flatMap(cells => cells.flatMap(cell => cell?.lanes ?? [])),
          );
          const lanes = drawn.addresses.filter(address => address !== null).length;
          assert.equal(served.length, lanes * Math.max(1, drawn.widthBytes / 4), site.site);
          sites++;
        }
        for (const site of global) {
          const drawn = draw(kernel, site.site, site.op);
          const picture = sectorPicture(drawn);
          assert.equal(picture.sectors, drawn.cost, site.site);
          assert.ok(drawn.cost >= site.sectorsPerRequest - 1e-9, site.site);
          assert.ok(picture.usedBytes <= picture.movedBytes);
          sites++;
        }
      }),
      { ...runs(120), seed: 20261121, examples: [[NONE_FULL]] },
    );
    assert.ok(isEnough(sites, 200), `${sites} sites`);
  });

  it('show a conflict of two words in a bank, by wavefront', () => {
    const text = pictureText(draw(tiled(), 'As fragment load', 'load'));
    assert.match(text[0] ?? '', /4 B per lane, wavefronts: 2, due to conflicts: 1/);
    assert.equal(text.filter(line => line.startsWith('wavefront')).length, 2);
    assert.match(text.join('\n'), /wavefront 1 +0\+/);
    assert.match(text.join('\n'), /wavefront 2 +16!/);
  });

  it('serve 16 bytes per lane for a quarter warp at a time, or half a warp if lane pairs share addresses', () => {
    const kernel = warped();
    const [a, b] = [
      draw(kernel, 'As fragment load', 'load'),
      draw(kernel, 'Bs fragment load', 'load'),
    ].map(bankPicture);
    assert.deepEqual([a?.phases.length, a?.paired, a?.conflicts], [2, true, 0]);
    assert.deepEqual([b?.phases.length, b?.paired, b?.conflicts], [4, false, 0]);
    const { shared } = warpAccesses(kernel);
    const loads = shared.filter(({ op }) => op === 'load');
    assert.deepEqual(
      loads.map(site => [site.wavefrontsPerRequest, site.idealWavefronts]),
      [
        [2, 2],
        [4, 2],
      ],
    );
    const said = analyze(kernel, { device: 'h200' }).notes.map(({ text }) => text);
    assert.ok(said.some(text => text.startsWith('Bs fragment load: no bank conflict')));
    assert.ok(!said.some(text => text.startsWith('As fragment load')));
  });

  it('name the sectors of a row and of a column', () => {
    const naive = legal({
      problem: cube(1024),
      schedule: { algorithm: 'naive', block: { m: 32, n: 32 } },
    });
    const column = sectorPicture(draw(naive, 'A load', 'load'));
    assert.deepEqual([column.lines.length, column.usedBytes, column.movedBytes], [32, 128, 1024]);
    const text = pictureText(draw(tiled(), 'B tile load', 'load'));
    assert.match(text[2] ?? '', /^\+0 B +lanes 0-7: 32 B +lanes 8-15: 32 B/);
  });

  it('are missing for sites that the kernel does not have', () => {
    assert.equal(drawnRequest(tiled(), { site: 'X load', op: 'load' }), null);
    assert.equal(drawnRequest(tiled(), { site: 'A tile load', op: 'store' }), null);
  });

  it('abbreviate ranges of lanes', () => {
    assert.equal(lanesText([0, 1, 2, 5, 7, 8]), '0-2, 5, 7-8');
    assert.equal(lanesText([]), '');
  });
});

describe('bank-conflict remedies', () => {
  it('are the minimum padding without conflicts, with its bytes and blocks', () => {
    const kernel = tiled();
    const found = bankRemedies(kernel, H200, null);
    const [cure] = found?.remedies ?? [];
    assert.deepEqual(cure?.changes, [{ path: 'schedule.padding.a', from: 0, to: 1 }]);
    assert.equal(found?.now.sharedBytes, 8192);
    // A row more of each of the 128 rows of As.
    assert.equal(cure.sharedBytes, 8192 + 128 * 4);
    assert.ok(cure.wavefronts < found.now.wavefronts);
    assert.ok(cure.conflicts > 0, 'Bs collides within a row');
  });

  it('offer a swizzle for a transposed tile, without extra bytes', () => {
    const found = bankRemedies(warped(), H200, null);
    const swizzle = found?.remedies.find(({ changes }) =>
      changes.some(({ path }) => path === 'schedule.swizzle'),
    );
    assert.deepEqual(swizzle?.changes, [{ path: 'schedule.swizzle', from: 'none', to: 'xor' }]);
    assert.equal(swizzle.sharedBytes, found?.now.sharedBytes);
    // Two of the four words of a bank that lanes of a row ask for lie apart now.
    assert.equal(3 * swizzle.conflicts, found?.now.conflicts);
  });

  it('report padding that halves the access width: no conflict, but more instructions', () => {
    const found = bankRemedies(warped(), H200, null);
    const [first] = found?.remedies ?? [];
    assert.deepEqual(first?.changes, [{ path: 'schedule.padding.a', from: 0, to: 2 }]);
    assert.equal(first.conflicts, 0);
    assert.ok(first.requests > (found?.now.requests ?? Infinity));
  });

  it('are empty without conflicts, and null without shared memory', () => {
    const free = bankRemedies(warped({ padding: { a: 2, b: 0 } }), H200, null);
    assert.deepEqual([free?.now.conflicts, free?.remedies], [0, []]);
    const naive = legal({ problem: cube(256), schedule: { algorithm: 'naive' } });
    assert.equal(bankRemedies(naive, H200, null), null);
  });

  it('are legal, and have their stated effect', function () {
    this.timeout(60_000);
    let cures = 0;
    fc.assert(
      fc.property(specs, spec => {
        const kernel = kernelOf(spec);
        if (kernel?.plan.shared === undefined) return;
        for (const cure of bankRemedies(kernel, H200, null)?.remedies ?? []) {
          const schedule = cure.changes.reduce<Record<string, unknown>>(
            (all, { path, to }) => {
              const [, group = '', name] = path.split('.');
              const inner = all[group] as object | undefined;
              return { ...all, [group]: name === undefined ? to : { ...inner, [name]: to } };
            },
            { ...kernel.spec.schedule },
          );
          const cured = kernelOf({ ...spec, schedule });
          assert.ok(cured !== null, JSON.stringify(schedule));
          const now = bankRemedies(cured, H200, null)?.now;
          assert.equal(now?.wavefronts, cure.wavefronts);
          assert.equal(now.sharedBytes, cure.sharedBytes);
          cures++;
        }
      }),
      { ...runs(60), seed: 20261121 },
    );
    assert.ok(isEnough(cures, 5), `${cures} cures`);
  });
});
