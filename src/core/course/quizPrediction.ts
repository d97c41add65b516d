/** Questions of chapters that the question generator of the views has. */
import { DEFAULT_DEVICE, deviceOf } from '../hardware/devices';
import { questionsOf } from '../quiz/questions';
import type { GemmSpec } from '../spec/schema';
import type { Prediction } from './prediction';
import { specFacts } from './specFacts';

/**
 * Returns the question of the generator with this id. `given` describes the kernel, because a
 * chapter shows its question without the kernel.
 *
 * @throws if the kernel has no such question
 */
export function quizPrediction(spec: GemmSpec, id: string, given: string): Prediction {
  const { kernel, analysis } = specFacts(spec);
  const questions = questionsOf({ kernel, analysis, device: deviceOf(DEFAULT_DEVICE) });
  const found = questions.find(question => question.id === id);
  if (found === undefined) throw new Error(`The kernel has no question "${id}".`);
  return {
    question: `${given} ${found.text}`,
    options: found.options.map(({ text }) => text),
    correct: found.key,
    mistakes: found.options.map(({ mistake }) => mistake),
    derivation: found.derivation,
  };
}
