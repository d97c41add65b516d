/**
 * `occupancy`: computes the occupancy of one kernel from options, or of one kernel per JSON line.
 */
import * as v from 'valibot';
import { carveOutsOf, type CarveOut } from '../../core/occupancy/carveOuts';
import {
  LIMITERS,
  occupancy,
  type Occupancy,
  type OccupancyInput,
} from '../../core/occupancy/occupancy';
import { findDevice } from '../../core/hardware/devices';
import { command, device, wholeNumber } from '../command';
import { chunksOf, nameOf } from '../input';
import { linesOf } from '../lines';
import { writeOut } from '../output';
import { EXIT, invalidInput, type Result } from '../result';
import { number, percent, table } from '../table';

const caseSchema = v.strictObject({
  computeCapability: v.string(),
  threadsPerBlock: v.number(),
  registersPerThread: v.number(),
  sharedBytesPerBlock: v.number(),
  carveOutPercent: v.exactOptional(v.number()),
});

const count = (description: string) => ({ type: 'string', valueHint: 'N', description }) as const;

export const occupancyCommand = command({
  name: 'occupancy',
  description: 'Compute resident blocks and warps per SM, and the limiting resource',
  args: {
    device,
    threads: count('Threads per block'),
    registers: count('Registers per thread'),
    'shared-bytes': count('Bytes of shared memory per block'),
    'carve-out': {
      type: 'string',
      valueHint: 'PERCENT',
      description: 'Preferred shared-memory carve-out in percent of the maximum per SM',
    },
    batch: {
      type: 'string',
      valueHint: 'FILE|-',
      description:
        'Read one JSON object per line and print one JSON object per line; - reads standard input',
    },
  },
  run: async options => {
    const { device, threads, registers, batch } = options;
    const sharedBytes = options['shared-bytes'];
    const carveOut = options['carve-out'];
    if (batch !== undefined) {
      if (
        [device, threads, registers, sharedBytes, carveOut].some(option => option !== undefined)
      ) {
        throw invalidInput(
          '--batch cannot be combined with other options. Fix: put all values into the input lines.',
        );
      }
      return await runBatch(batch);
    }
    if (device === undefined || threads === undefined) {
      throw invalidInput('Missing options. Fix: add --device and --threads, or use --batch FILE.');
    }
    return single(device, {
      threadsPerBlock: wholeNumber('threads', threads),
      registersPerThread: wholeNumber('registers', registers ?? '0'),
      sharedBytesPerBlock: wholeNumber('shared-bytes', sharedBytes ?? '0'),
      ...(carveOut === undefined ? {} : { carveOutPercent: wholeNumber('carve-out', carveOut) }),
    });
  },
});

function single(id: string, kernel: Omit<OccupancyInput, 'computeCapability'>): Result {
  const found = findDevice(id);
  if (found === undefined) {
    throw invalidInput(
      `Unknown device "${id}". Fix: choose a device from \`gemm-explorer devices\`.`,
    );
  }
  if (found.computeCapability === undefined) {
    throw invalidInput(
      `Occupancy requires an NVIDIA GPU, but the device is ${found.name}. Fix: choose an NVIDIA device.`,
    );
  }
  const input = { computeCapability: found.computeCapability, ...kernel };
  const result = occupancy(input);
  if (!result.ok) throw invalidInput(result.error.message);
  const carveOuts = carveOutsOf(input);
  return {
    exit: EXIT.yes,
    json: answer(result.occupancy),
    text: `${describe(result.occupancy)}\n\n${describeCarveOuts(carveOuts)}`,
  };
}

const answer = (occupancy: Occupancy) => {
  const { blocksPerSm, activeWarps, maxWarps, limiters, limits } = occupancy;
  const { sharedBytesAllocated, sharedBytesReserved } = occupancy;
  return {
    blocksPerSm,
    activeWarps,
    maxWarps,
    occupancy: occupancy.occupancy,
    limiters,
    limits,
    sharedBytesAllocated,
    sharedBytesReserved,
  };
};

function describe(occupancyResult: Occupancy): string {
  const { blocksPerSm, activeWarps, maxWarps, occupancy, limiters, limits } = occupancyResult;
  return table([
    ['occupancy', `${percent(occupancy)} (${limiters.join(', ')})`],
    ['warps', `${activeWarps} of ${maxWarps}`],
    ['blocks per SM', blocksPerSm],
    ...LIMITERS.flatMap(limiter => {
      const limit = limits[limiter];
      return limit === undefined ? [] : [[`  ${limiter} alone`, limit]];
    }),
    ['shared memory per block', sharedText(occupancyResult)],
  ]);
}

const sharedText = ({ sharedBytesAllocated, sharedBytesReserved }: Occupancy): string =>
  sharedBytesReserved === 0
    ? `${number(sharedBytesAllocated)} B allocated, none reserved by the driver`
    : `${number(sharedBytesAllocated)} B allocated, including ${sharedBytesReserved / 1024} KiB reserved by the driver`;

const describeCarveOuts = (carveOuts: readonly CarveOut[]): string =>
  table([
    ['shared KiB per SM', 'L1 KiB per SM', 'blocks per SM'],
    ...carveOuts.map(({ sharedKiB, l1KiB, blocksPerSm }) => [sharedKiB, l1KiB, blocksPerSm]),
  ]);

const MAX_LINE_CHARACTERS = 100_000;

/**
 * Processes the input line by line. For an invalid line, prints an error as JSON and returns exit
 * code 2 at the end. Throws if a line is too long.
 */
async function runBatch(path: string): Promise<Result> {
  let unusableLines = 0;
  let pending: string[] = [];
  const flush = async (): Promise<void> => {
    const text = pending.join('');
    pending = [];
    if (text !== '') await writeOut(text);
  };
  let line = 0;
  for await (const text of linesOf(chunksOf(path), MAX_LINE_CHARACTERS)) {
    line += 1;
    if (text === undefined) {
      await flush();
      const what = `${nameOf(path)}, line ${line} has more than ${MAX_LINE_CHARACTERS} characters.`;
      throw invalidInput(`${what} Fix: write one JSON object per line.`);
    }
    if (text.trim() === '') continue;
    const reply = answerLine(text);
    if ('error' in reply) {
      unusableLines += 1;
      process.stderr.write(`line ${line}: ${reply.error.message}\n`);
    }
    pending.push(`${JSON.stringify(reply)}\n`);
    if (pending.length >= 1000) await flush();
  }
  await flush();
  return { exit: unusableLines === 0 ? EXIT.yes : EXIT.unusable };
}

type Reply = ReturnType<typeof answer> | { readonly error: { path: string; message: string } };

function answerLine(text: string): Reply {
  const refuse = (path: string, message: string): Reply => ({ error: { path, message } });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse('', 'Expected JSON.');
  }
  const decoded = v.safeParse(caseSchema, value);
  if (!decoded.success) {
    const [issue] = decoded.issues;
    return refuse(v.getDotPath(issue) ?? '', issue.message);
  }
  const result = occupancy(decoded.output);
  return result.ok ? answer(result.occupancy) : refuse(result.error.field, result.error.message);
}
