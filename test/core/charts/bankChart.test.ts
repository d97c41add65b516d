/** The saved picture of a shared-memory request has the cells of its table. */
import assert from 'node:assert/strict';
import { bankChart } from '../../../src/core/charts/bankChart';
import { bankPicture } from '../../../src/core/charts/bankDiagram';
import { drawnRequest } from '../../../src/core/memory/drawnRequest';
import { analyze } from '../../../src/core/report/analyze';
import { kernelFor } from '../../helpers/kernels';

const kernel = kernelFor(
  { problem: { m: 1024, n: 1024, k: 1024 }, schedule: { algorithm: 'thread-tile-2d' } },
  'cuda',
);
const requests = analyze(kernel, { device: 'h200' }).sharedMemory.flatMap(
  site => drawnRequest(kernel, site) ?? [],
);

describe('picture of the banks', () => {
  it('has one cell per served word, and marks the conflicts', () => {
    assert.ok(requests.length > 0);
    let conflicts = 0;
    for (const request of requests) {
      const { phases } = bankPicture(request);
      const rows = phases.flatMap(({ wavefronts }) => wavefronts);
      const words = rows.flat().filter(cell => cell !== null);
      const { marks, width, height } = bankChart(request);
      const cells = marks.filter(mark => mark.kind === 'rect');
      assert.equal(cells.length, words.length);
      const late = phases.flatMap(({ wavefronts }) => wavefronts.slice(1)).flat();
      const conflicting = cells.filter(({ role }) => role === 'cell-conflict');
      assert.equal(conflicting.length, late.filter(cell => cell !== null).length);
      conflicts += conflicting.length;
      for (const cell of cells)
        assert.ok(cell.x >= 0 && cell.x + cell.width <= width && cell.y + cell.height <= height);
    }
    assert.ok(conflicts > 0, 'the sample has bank conflicts');
  });
});
