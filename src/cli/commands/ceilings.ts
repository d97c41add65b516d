/** `ceilings`: measures and stores the ceilings of a local GPU for later runs. */
import { remeasureCeilings } from '../../host/cuda/ceilings';
import { command, gpu, wholeNumber } from '../command';
import { EXIT_OF } from '../measure';
import { EXIT, Failure } from '../result';
import { number, table } from '../table';

export const ceilingsCommand = command({
  name: 'ceilings',
  description: "Measure the GPU's ceilings: FMA and tensor-core throughput, memory bandwidth",
  args: { gpu },
  run: async ({ gpu: gpuOption }, context) => {
    const options = { where: 'cli', ...(gpuOption && { gpu: wholeNumber('gpu', gpuOption) }) };
    let shown = '';
    const found = await remeasureCeilings(options, {
      abort: context.abort,
      progress: ({ stage }) => {
        if (stage !== shown) context.note(`  ${stage}`);
        shown = stage;
      },
    });
    if (!found.ok) throw new Failure(EXIT_OF[found.outcome], found.message);
    const { ready, ceilings, note } = found;
    if (note !== undefined) context.note(note);
    const { name, uuid, driver } = ready.device;
    return {
      exit: EXIT.yes,
      json: { device: { name, uuid, driver }, ...ceilings },
      text: [
        `${name}, driver ${driver ?? 'unknown'}: ${ceilings.how}`,
        table([
          ['ceiling', 'reached', 'unit'],
          ...ceilings.list.map(({ id, value, unit }) => [id, number(value), unit]),
        ]),
      ].join('\n'),
    };
  },
});
