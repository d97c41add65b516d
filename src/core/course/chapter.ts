/** Chapters of the course: one idea each, with a step between two kernels, a question and tasks. */
import type { LoopNest, LoopProblem } from '../nests/nest';
import type { GemmSpec, Schedule } from '../spec/schema';
import type { Prediction } from './prediction';

/** A loop nest or a kernel that a chapter explains. */
export type Subject =
  { readonly nest: LoopNest; readonly problem: LoopProblem } | { readonly spec: GemmSpec };

/** Schedules of the same problem shape, whose predicted rates are compared. */
export interface Step {
  readonly before: Schedule;
  readonly after: Schedule;
  readonly dtype: 'f32' | 'f16';
  /** Problem shape of both kernels; by default `GAIN_SHAPE`. */
  readonly shape?: Readonly<Record<'m' | 'n' | 'k', number>>;
}

export interface Chapter {
  readonly id: string;
  readonly title: string;
  /** The idea of the chapter in one sentence. */
  readonly idea: string;
  /** New terms with their definitions. */
  readonly terms: readonly (readonly [term: string, definition: string])[];
  /** Sentences with the reason for the step; an empty string starts a new paragraph. */
  readonly why: readonly string[];
  /** Absent if the chapter explains a single kernel. */
  readonly before?: Subject;
  readonly after: Subject;
  /** First and last line to show of a long kernel, as parts of these lines. */
  readonly excerpt?: readonly [from: string, to: string];
  /** Views of the explorer that show the step. */
  readonly look: readonly string[];
  readonly prediction: () => Prediction;
  /** Ids of the tasks. */
  readonly tasks: readonly string[];
  /** Skill that the chapter teaches. */
  readonly checkpoint: string;
  readonly step?: Step;
}

/** Returns the last sentence of a question, which fits into a prompt; the chapter has the rest. */
export const askedSentence = ({ question }: Pick<Prediction, 'question'>): string =>
  question.split(/(?<=[.?!]) +/).at(-1) ?? question;
