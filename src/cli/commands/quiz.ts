/** `quiz SPEC`: lists questions about a kernel, whose answers come from the analysis. */
import { DEFAULT_DEVICE, deviceOf, isDeviceId } from '../../core/hardware/devices';
import { TOPICS, type Question } from '../../core/quiz/question';
import { questionsOf } from '../../core/quiz/questions';
import { analyze } from '../../core/report/analyze';
import { command, device, set, specArgument, target } from '../command';
import { isKernelFile, kernelOn, readInput } from '../kernel';
import { EXIT, invalidInput } from '../result';

export const quizCommand = command({
  name: 'quiz',
  description: 'List multiple-choice questions about a kernel, with answers on request',
  args: {
    spec: specArgument,
    set,
    device,
    target,
    topic: {
      type: 'enum' as const,
      options: [...TOPICS],
      description: 'Only the questions of one topic',
    },
    answers: {
      type: 'boolean' as const,
      description: 'Add the correct options, the mistakes behind the others, and the derivations',
    },
  },
  run: async options => {
    if (isKernelFile(options.spec)) {
      throw invalidInput(
        `${options.spec} is a kernel file. Fix: pass the *.gemm.json file of the kernel.`,
      );
    }
    const input = await readInput(options.spec, options);
    if (input.kind !== 'spec') throw new Error(`${options.spec} has been read as a kernel.`);
    const id = options.device ?? input.spec.device ?? DEFAULT_DEVICE;
    if (!isDeviceId(id)) {
      throw invalidInput(
        `Unknown device "${id}". Fix: choose a device from \`gemm-explorer devices\`.`,
      );
    }
    const kernel = kernelOn(input, id);
    const analysis = analyze(kernel, { device: id });
    const topics = options.topic === undefined ? TOPICS : [options.topic];
    const questions = questionsOf({ kernel, analysis, device: deviceOf(id) }, topics);
    const withAnswers = options.answers === true;
    return {
      exit: EXIT.yes,
      json: {
        specKey: kernel.specKey,
        device: id,
        target: kernel.target,
        questions: withAnswers ? questions : questions.map(withoutAnswer),
      },
      text:
        questions.length === 0
          ? 'There are no questions about this kernel.'
          : questions.map(question => describe(question, withAnswers)).join('\n\n'),
    };
  },
});

const withoutAnswer = ({ id, topic, text, options }: Question) => ({
  id,
  topic,
  text,
  options: options.map(option => ({ text: option.text })),
});

const LETTERS = 'abcdefgh';

function describe({ id, text, options, key, derivation }: Question, withAnswers: boolean): string {
  return [
    `${id}: ${text}`,
    ...options.map((option, index) => {
      const mistake = withAnswers && option.mistake !== null ? `  (${option.mistake})` : '';
      return `  ${LETTERS[index] ?? ''}) ${option.text}${mistake}`;
    }),
    ...(withAnswers
      ? [
          `  answer: ${LETTERS[key] ?? ''}) ${options[key]?.text ?? ''}`,
          ...derivation.map(line => `    ${line}`),
        ]
      : []),
  ].join('\n');
}
