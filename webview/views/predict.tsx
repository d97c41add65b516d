/**
 * "Predict, then check": a multiple-choice question about the figures of a section, its result, and
 * the derivation of the correct option.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Device } from '../../src/core/hardware/devices';
import type { Kernel } from '../../src/core/kernel/kernel';
import type { Question, Topic } from '../../src/core/quiz/question';
import { questionsOf } from '../../src/core/quiz/questions';
import type { Analysis } from '../../src/core/report/analysis';
import { useAfterPaint } from '../afterPaint';
import { Button } from '../kit';
import { useStaticPage } from '../staticPage';

export interface PredictProps {
  readonly kernel: Kernel;
  readonly analysis: Analysis;
  readonly device: Device;
  readonly topics: readonly Topic[];
}

/** Answers by the id of the question, which outlive edits of the spec. */
type Answers = ReadonlyMap<string, Answer>;

interface Answer {
  /** Text of the chosen option. */
  readonly chosen: string;
  /** Content of the question that was checked. The check of another content is void. */
  readonly checked: string | null;
}

const NO_ANSWERS: Answers = new Map();

/** Identifies the content of a question. */
const contentOf = ({ text, options, key }: Question): string =>
  JSON.stringify([text, options.map(option => option.text), key]);

export function Predict({ topics, ...subject }: PredictProps): VNode | null {
  const isStatic = useStaticPage();
  const [open, setOpen] = useState(false);
  const [current, setCurrent] = useState<string | null>(null);
  const [answers, setAnswers] = useState(NO_ANSWERS);
  if (isStatic) return null;
  return (
    <details
      class="predict"
      onToggle={event => {
        setOpen(event.currentTarget.open);
      }}
    >
      <summary>{t('Predict, then check')}</summary>
      {open ? (
        <Questions
          {...subject}
          topics={topics}
          current={current}
          answers={answers}
          onMove={setCurrent}
          onAnswer={(id, answer) => {
            setAnswers(new Map(answers).set(id, answer));
          }}
        />
      ) : null}
    </details>
  );
}

interface QuestionsProps extends PredictProps {
  readonly current: string | null;
  readonly answers: Answers;
  readonly onMove: (id: string) => void;
  readonly onAnswer: (id: string, answer: Answer) => void;
}

function Questions({
  current,
  answers,
  onMove,
  onAnswer,
  topics,
  ...subject
}: QuestionsProps): VNode {
  const { kernel, analysis, device } = subject;
  const registers = analysis.occupancy?.registers.value;
  const input = useMemo(() => subject, [kernel, device, registers]);
  const { value: questions } = useAfterPaint(input, of => questionsOf(of, topics));
  if (questions === null)
    return <div class="awaited" style={{ minBlockSize: '10lh' }} aria-busy="true" />;
  const found = questions.findIndex(({ id }) => id === current);
  const at = Math.max(0, found);
  const question = questions[at];
  if (question === undefined)
    return (
      <p class="hint">
        {t('This section has no question about this kernel.')} {neededBy(topics[0])}
      </p>
    );
  const next = questions[(at + 1) % questions.length];
  return (
    <Asked
      question={question}
      position={t('Question {0} of {1}', at + 1, questions.length)}
      answer={answers.get(question.id) ?? null}
      onAnswer={answer => {
        onAnswer(question.id, answer);
      }}
      onNext={
        next === undefined || next === question
          ? null
          : () => {
              onMove(next.id);
            }
      }
    />
  );
}

/** States which kernels have questions of a topic. */
const neededBy = (topic: Topic | undefined): string =>
  topic === undefined
    ? ''
    : {
        tiles: t('It requires a kernel that assigns the elements of C to threads.'),
        staging: t('It requires a kernel whose threads copy tiles into shared memory.'),
        requests: t(
          'It requires a kernel whose threads access global memory; TMA is a copy engine.',
        ),
        shared: t('It requires a kernel whose threads access shared memory.'),
        occupancy: t('It requires a device with published occupancy rules.'),
      }[topic];

interface AskedProps {
  readonly question: Question;
  readonly position: string;
  readonly answer: Answer | null;
  readonly onAnswer: (answer: Answer) => void;
  readonly onNext: (() => void) | null;
}

function Asked({ question, position, answer, onAnswer, onNext }: AskedProps): VNode {
  const group = useId();
  const [hint, setHint] = useState('');
  const place = useRef<HTMLFieldSetElement>(null);
  const moved = useRef(false);
  const content = contentOf(question);
  useLayoutEffect(() => {
    if (moved.current) place.current?.focus();
    moved.current = false;
    setHint('');
  }, [question.id]);
  const { text, options } = question;
  const chosen = options.find(option => option.text === answer?.chosen) ?? null;
  const isChecked = chosen !== null && answer?.checked === content;
  return (
    <div class="predict-question" data-asking={isChecked ? undefined : ''}>
      <fieldset ref={place} tabIndex={-1}>
        <legend>{text}</legend>
        {options.map(option => (
          <label key={option.text}>
            <input
              type="radio"
              name={`${group}-${question.id}`}
              checked={option === chosen}
              onChange={() => {
                setHint('');
                onAnswer({ chosen: option.text, checked: null });
              }}
            />
            {option.text}
            {isChecked ? <Mark option={option} isChosen={option === chosen} /> : null}
          </label>
        ))}
      </fieldset>
      <div class="predict-controls">
        <Button
          onPress={() => {
            if (chosen === null) setHint(t('Select an answer first.'));
            else onAnswer({ chosen: chosen.text, checked: content });
          }}
        >
          {t('Check')}
        </Button>
        {onNext === null ? null : (
          <Button
            onPress={() => {
              moved.current = true;
              onNext();
            }}
          >
            {t('Next question')}
          </Button>
        )}
        {onNext === null ? null : <span class="hint">{position}</span>}
      </div>
      <p role="status">{isChecked ? resultText(question, chosen) : hint}</p>
      {isChecked ? (
        <ol class="derivation" aria-label={t('Derivation')}>
          {question.derivation.map(line => (
            <li key={line}>{line}</li>
          ))}
        </ol>
      ) : (
        <p class="hint">{t('Figures that contain the answer are hidden until you check.')}</p>
      )}
    </div>
  );
}

interface MarkProps {
  readonly option: Question['options'][number];
  readonly isChosen: boolean;
}

/** Marks the correct option, and a wrong option that was chosen, not only by color. */
const Mark = ({ option, isChosen }: MarkProps): VNode | null =>
  option.mistake === null ? (
    <b>✓ {t('correct')}</b>
  ) : isChosen ? (
    <b class="wrong">✗ {t('your answer')}</b>
  ) : null;

function resultText({ options, key }: Question, { mistake }: Question['options'][number]): string {
  if (mistake === null) return t('Correct.');
  return t('Not correct. {0} The correct answer is: {1}.', mistake, options[key]?.text ?? '');
}
