/** Questions: exactly one option is correct, and it is the result of the analysis. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { deviceOf } from '../../../src/core/hardware/devices';
import { isLowered, type Kernel } from '../../../src/core/kernel/kernel';
import { drawnRequest } from '../../../src/core/memory/drawnRequest';
import { occupancy } from '../../../src/core/occupancy/occupancy';
import { limiterName } from '../../../src/core/occupancy/limiterName';
import { TOPICS, type Question } from '../../../src/core/quiz/question';
import { questionsOf } from '../../../src/core/quiz/questions';
import { occupancyQuestions } from '../../../src/core/quiz/occupancy';
import { analyze } from '../../../src/core/report/analyze';
import type { Analysis } from '../../../src/core/report/analysis';
import { figure } from '../../../src/core/text/figure';
import { grouped } from '../../../src/core/text/numbers';
import { ownersOf } from '../../../src/core/trace/owners';
import { stagedPlaces } from '../../../src/core/trace/stagedPlaces';
import { cube, H200, kernelOf, legal, tiled, warped } from '../../helpers/cudaKernels';
import { isEnough, runs } from '../../helpers/depth';
import { fragmentSpecs, gemvSpecs, registerTileSpecs, specs } from '../../helpers/specs';

const asked = (kernel: Kernel, device = H200) => {
  const analysis = analyze(kernel, { device: device.id });
  return { analysis, questions: questionsOf({ kernel, analysis, device }) };
};
const correct = ({ options, key }: Question): string => options[key]?.text ?? '';
const byId = (questions: readonly Question[], id: string): Question => {
  const found = questions.find(question => question.id === id);
  assert.ok(found !== undefined, `${id} of ${questions.map(question => question.id).join()}`);
  return found;
};

/** The elements that the options of a question about As or Bs name, and the place it asks for. */
function stagedOf(kernel: Kernel, { text, options, id }: Question): readonly string[] {
  assert.ok(isLowered(kernel));
  const placeOf = stagedPlaces(kernel);
  const [, name = ''] = /in ([AB]s(?:\[\d+\])+)\?$/.exec(text) ?? [];
  const { plan, problem } = kernel;
  const [m, n, k] = (['m', 'n', 'k'] as const).map(side =>
    Math.min(plan.tile[side], problem[side]),
  ) as [number, number, number];
  return options
    .filter(option => {
      const [, row = NaN, column = NaN] = /\((\d+), (\d+)\)/.exec(option.text)?.map(Number) ?? [];
      const isInTile = id.endsWith('/a') ? row < m && column < k : row < k && column < n;
      const place = isInTile ? placeOf(id.endsWith('/a') ? 'a' : 'b', { row, column }) : null;
      return `${place?.array}${place?.subscripts?.map(at => `[${at}]`).join('')}` === name;
    })
    .map(option => option.text);
}

/** The result that the analysis has for a question, as the text of an option. */
function analysed(kernel: Kernel, analysis: Analysis, question: Question): string {
  const [topic, kind, name = ''] = question.id.split('/');
  const site = (sites: readonly { readonly site: string; readonly op: 'load' | 'store' }[]) => {
    const found = sites.find(other => `${other.site} ${other.op}` === name);
    assert.ok(found !== undefined, name);
    return drawnRequest(kernel, found)?.cost ?? NaN;
  };
  switch (`${topic}/${kind}`) {
    case 'tiles/owner': {
      const [, row = NaN, column = NaN] =
        /C\((\d+), (\d+)\)/.exec(question.text)?.map(Number) ?? [];
      const owner = ownersOf(kernel).ownerOf({ entry: 0, row, column });
      return `thread ${owner.accumulators[0]?.thread}`;
    }
    case 'requests/sectors':
      return grouped(site(analysis.globalMemory));
    case 'occupancy/blocks':
      return grouped(analysis.occupancy?.heldPerSm ?? NaN);
    case 'occupancy/limiter':
      return (analysis.occupancy?.limiters ?? []).map(limiterName).join(', ');
    case 'staging/a':
    case 'staging/b':
      return stagedOf(kernel, question).join();
    case 'shared/wavefronts':
      return grouped(site(analysis.sharedMemory));
    case 'shared/padding': {
      const padding = analysis.sharedMemory.find(
        other => `${other.site} ${other.op}` === name,
      )?.curingPadding;
      if (padding === 1) return 'Yes';
      return padding === null
        ? 'No, and neither does any padding up to 8'
        : `No, the least padding is ${padding}`;
    }
    default:
      throw new Error(`no analysis of ${question.id}`);
  }
}

/** Checks every `floor(a / b) = c` and `ceil(a / b)` of a line. */
function assertArithmetic(line: string): number {
  let count = 0;
  for (const [, a = '', b = '', c = ''] of line.matchAll(
    /floor\(([\d,]+) \/ ([\d,]+)\) = ([\d,]+)/g,
  )) {
    const [left, right, result] = [a, b, c].map(text => Number(text.replaceAll(',', '')));
    assert.equal(Math.floor((left ?? NaN) / (right ?? NaN)), result, line);
    count++;
  }
  return count;
}

describe('questions about a kernel', () => {
  it('have exactly one correct option, which is the result of the analysis', function () {
    this.timeout(300_000);
    const counts = new Map<string, number>();
    let divisions = 0;
    fc.assert(
      fc.property(fc.oneof(specs, fragmentSpecs, gemvSpecs, registerTileSpecs), spec => {
        const kernel = kernelOf(spec);
        if (kernel === null) return;
        const device = deviceOf(spec.device === 't4' ? 't4' : 'h200');
        const { analysis, questions } = asked(kernel, device);
        assert.equal(new Set(questions.map(({ id }) => id)).size, questions.length);
        for (const question of questions) {
          const { id, topic, text, options, key, derivation } = question;
          const texts = options.map(option => option.text);
          assert.ok(options.length >= 2 && options.length <= 4, id);
          assert.equal(new Set(texts).size, texts.length, id);
          assert.deepEqual(
            options.flatMap(({ mistake }, index) => (mistake === null ? [index] : [])),
            [key],
          );
          const result = analysed(kernel, analysis, question);
          assert.deepEqual(
            texts.filter(option => option === result),
            [correct(question)],
            id,
          );
          assert.ok(TOPICS.includes(topic) && id.startsWith(`${topic}/`) && text.endsWith('?'));
          assert.ok(derivation.length > 0);
          for (const line of derivation) {
            assert.doesNotMatch(line, /NaN|undefined|\{\d\}/, id);
            divisions += assertArithmetic(line);
          }
          counts.set(topic, (counts.get(topic) ?? 0) + 1);
        }
      }),
      { ...runs(300, 40), seed: 20261128 },
    );
    for (const topic of TOPICS) assert.ok(isEnough(counts.get(topic) ?? 0, 30), topic);
    assert.ok(divisions > 0);
  });

  it('derive the thread of an element from block, tile and thread index', () => {
    const naive = legal({
      problem: cube(1024),
      schedule: { algorithm: 'naive', block: { m: 32, n: 32 } },
    });
    const swapped = legal({
      problem: cube(1024),
      schedule: { algorithm: 'coalesced', block: { m: 32, n: 32 } },
    });
    const ofNaive = byId(asked(naive).questions, 'tiles/owner');
    assert.equal(correct(ofNaive), 'thread 105');
    assert.ok(
      ofNaive.derivation.includes('threadIdx.x = 9 and threadIdx.y = 3: thread 3 x 32 + 9 = 105.'),
    );
    const ofSwapped = byId(asked(swapped).questions, 'tiles/owner');
    assert.equal(correct(ofSwapped), 'thread 291');
    assert.equal(
      ofSwapped.options.find(({ text }) => text === 'thread 105')?.mistake,
      'This thread has the element with exchanged row and column.',
    );
  });

  it('derive the blocks per SM as by hand, and offer the count without the reserved bytes', () => {
    // Seed 003: 27 registers, 1,024 threads, 8 KB of shared memory on an RTX 3070.
    const report = {
      threads: 1024,
      registers: figure(27, 'registers', 'compiler'),
      sharedBytes: figure(8192, 'B', 'compiler'),
    };
    const device = deviceOf('rtx-3070-laptop');
    const of = (changes: object) =>
      occupancyQuestions({ ...report, ...changes } as Analysis['occupancy'], device);
    const [blocks, limiter] = of({});
    assert.ok(blocks !== undefined && limiter !== undefined);
    assert.equal(correct(blocks), '1');
    assert.equal(correct(limiter), 'threads');
    assert.deepEqual(blocks.derivation, [
      'Threads: 32 warps per block, at most 48 per SM. Blocks: floor(48 / 32) = 1.',
      'Registers: 27 per thread are 864 per warp, allocated as 1,024, which is 32 per thread.',
      'A scheduler has 16,384 registers for floor(16,384 / 1,024) = 16 warps. The 4 schedulers hold 64 warps. Blocks: floor(64 / 32) = 2.',
      'Shared memory: 8,192 B and 1,024 B reserved by the driver, allocated as 9,216 B. Blocks: floor(102,400 / 9,216) = 11.',
      'Block slots per SM: 16.',
      'The minimum is 1, limited by: threads.',
    ]);
    // 64 threads: only shared memory limits, and the reserved bytes decide.
    const [small] = of({ threads: 64 });
    assert.ok(small !== undefined);
    assert.equal(correct(small), '11');
    assert.match(
      small.options.find(({ text }) => text === '12')?.mistake ?? '',
      /ignores the 1,024 B of shared memory/,
    );
    const input = {
      computeCapability: '8.6',
      threadsPerBlock: 64,
      registersPerThread: 27,
      sharedBytesPerBlock: 8192,
    };
    const found = occupancy(input);
    assert.ok(found.ok && found.occupancy.blocksPerSm === 11);
  });

  it('ask for all resources with the same limit', () => {
    const kernel = legal({
      problem: cube(1024),
      schedule: { algorithm: 'naive', block: { m: 32, n: 32 } },
    });
    const question = byId(asked(kernel).questions, 'occupancy/limiter');
    assert.equal(correct(question), 'threads, registers');
    assert.equal(
      question.options.find(({ text }) => text === 'threads')?.mistake,
      'Another resource has the same limit.',
    );
  });

  it('ask which element is in As[3][17], transposed or not', () => {
    const transposed = byId(asked(warped()).questions, 'staging/a');
    assert.match(transposed.text, /Which element of A is in As\[3\]\[17\]\?$/);
    assert.equal(correct(transposed), 'A(17, 3)');
    const byRow = byId(asked(tiled()).questions, 'staging/b');
    assert.match(byRow.text, /Bs\[3\]\[17\]/);
    assert.equal(correct(byRow), 'B(3, 17)');
    const swizzled = byId(asked(warped({ swizzle: 'xor' })).questions, 'staging/a');
    assert.deepEqual(stagedOf(warped({ swizzle: 'xor' }), swizzled), [correct(swizzled)]);
  });

  it('ask whether padding by 1 removes the conflicts of a site', () => {
    const yes = byId(asked(tiled()).questions, 'shared/padding/As fragment load load');
    assert.equal(correct(yes), 'Yes');
    assert.equal(yes.derivation.at(-1), 'Padding 1: no conflicts.');
    const no = asked(warped()).questions.filter(({ id }) => id.startsWith('shared/padding/'));
    for (const question of no) assert.notEqual(correct(question), 'Yes');
    assert.ok(no.length > 0);
  });

  it('are only those of the chosen topics', () => {
    const kernel = tiled();
    const analysis = analyze(kernel, { device: 'h200' });
    const subject = { kernel, analysis, device: H200 };
    for (const topic of TOPICS) {
      const questions = questionsOf(subject, [topic]);
      assert.ok(questions.length > 0 && questions.every(question => question.topic === topic));
    }
    assert.deepEqual(questionsOf(subject, []), []);
  });

  it('are absent without an occupancy model, and without shared memory', () => {
    const kernel = legal({ problem: cube(256), schedule: { algorithm: 'naive' } });
    const analysis = analyze(kernel, { device: 'h200' });
    const device = deviceOf('apple-m2');
    assert.deepEqual(
      questionsOf({ kernel, analysis, device }, ['occupancy', 'shared', 'staging']),
      [],
    );
  });
});
