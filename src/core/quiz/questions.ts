/** Questions about a kernel, by view of the analysis. */
import type { Device } from '../hardware/devices';
import type { Kernel } from '../kernel/kernel';
import type { Analysis } from '../report/analysis';
import { occupancyQuestions } from './occupancy';
import { TOPICS, type Question, type Topic } from './question';
import { requestQuestions } from './requests';
import { sharedQuestions } from './shared';
import { stagingQuestions } from './staging';
import { tileQuestions } from './tiles';

export interface QuizSubject {
  readonly kernel: Kernel;
  /** Analysis of the kernel on the device. */
  readonly analysis: Analysis;
  readonly device: Device;
}

const OF_TOPIC: Readonly<Record<Topic, (subject: QuizSubject) => readonly Question[]>> = {
  tiles: ({ kernel }) => tileQuestions(kernel),
  requests: ({ kernel, analysis }) => requestQuestions(kernel, analysis.globalMemory),
  occupancy: ({ analysis, device }) => occupancyQuestions(analysis.occupancy, device),
  shared: ({ kernel, analysis }) => sharedQuestions(kernel, analysis.sharedMemory),
  staging: ({ kernel }) => stagingQuestions(kernel),
};

/**
 * Returns the questions about a kernel, in the order of the topics. A question keeps its id when
 * the spec changes, but it can be absent: kernels without shared memory have no questions about it.
 */
export const questionsOf = (
  subject: QuizSubject,
  topics: readonly Topic[] = TOPICS,
): readonly Question[] => topics.flatMap(topic => OF_TOPIC[topic](subject));
