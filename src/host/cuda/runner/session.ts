/**
 * Communicates with one runner process. It handles one request at a time, and is stopped after a
 * timeout or an invalid response.
 */
import { randomInt } from 'node:crypto';
import type { RunProgress } from '../../../core/measure/backend';
import { startProcess, type LiveProcess } from '../../process';
import { printable } from '../../text';
import { describeFailure } from '../../toolchain';
import {
  decodeLine,
  GREETING,
  requestLine,
  turnLine,
  type Answer,
  type Body,
  type Ready,
  type Turn,
  type TurnAnswer,
} from './protocol';

/** Result of a request without a response, after which the process is stopped. */
export interface NoResponse {
  readonly type: 'lost';
  readonly why: 'cancelled' | 'timeout' | 'crashed' | 'unbelievable';
  readonly message: string;
}

export interface RequestOptions {
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
  readonly progress: (step: RunProgress) => void;
  /** Answers a turn of a foreign kernel; must not reject. Without it, each turn fails. */
  readonly turn?: (turn: Turn) => Promise<TurnAnswer>;
}

export interface Session {
  readonly ready: Ready;
  readonly ask: (body: Body, options: RequestOptions) => Promise<Answer | NoResponse>;
  /** Returns whether the process has ended or is being stopped. */
  readonly isOver: () => boolean;
  readonly stop: () => void;
  readonly hold: LiveProcess['hold'];
  /**
   * Resolves when the process has ended. Also resolves after a time limit, because a driver may
   * block the process forever.
   */
  readonly ended: () => Promise<void>;
}

export type Started =
  | { readonly ok: true; readonly session: Session }
  /** `broken`: the executable is not a runner. */
  | {
      readonly ok: false;
      readonly why: NoResponse['why'] | 'unavailable';
      readonly message: string;
      readonly broken: boolean;
    };

/** Maximum time in milliseconds to wait for the end of a process that a driver may block. */
const LONGEST_END_MS = 5000;
/**
 * Range of request ids. They are random, because kernels print on the same stream and could imitate
 * responses.
 */
const IDS = { from: GREETING + 1, to: 2 ** 31 - 1 } as const;

export async function startRunner(
  program: string,
  args: readonly string[],
  options: RequestOptions,
): Promise<Started> {
  let hear: (line: string) => void = () => undefined;
  let over = false;
  const live = startProcess(program, args, {
    // Uses the device order of nvidia-smi.
    env: { CUDA_DEVICE_ORDER: 'PCI_BUS_ID' },
    onLine: (line, stream) => {
      if (stream === 'stdout') hear(line);
    },
  });
  void live.ended.then(() => {
    over = true;
  });
  const stop = (): void => {
    over = true;
    live.stop();
  };
  const exchange = async (
    id: number,
    requestOptions: RequestOptions,
  ): Promise<Answer | NoResponse> => {
    const answer = await responseOf(id, requestOptions, live, listener => {
      hear = listener;
    });
    hear = () => undefined;
    const fatal = 'fatal' in answer && answer.fatal === true;
    if (answer.type === 'lost' || fatal) stop();
    return answer;
  };

  const greeting = await exchange(GREETING, options);
  if (greeting.type !== 'ready') {
    stop();
    if (greeting.type === 'lost') {
      const { why, message } = greeting;
      return { ok: false, why, message, broken: why === 'crashed' || why === 'unbelievable' };
    }
    const message =
      greeting.type === 'failed'
        ? greeting.message
        : 'The first message of the CUDA runner is not a greeting.';
    return { ok: false, why: 'unavailable', message, broken: greeting.type !== 'failed' };
  }
  const session: Session = {
    ready: greeting,
    ask: (body, requestOptions) => {
      const id = randomInt(IDS.from, IDS.to);
      const answer = exchange(id, requestOptions);
      live.write(requestLine(id, body));
      return answer;
    },
    isOver: () => over,
    stop,
    hold: live.hold,
    ended: () => Promise.race([live.ended.then(() => undefined), pause(LONGEST_END_MS)]),
  };
  return { ok: true, session };
}

const pause = (delayMs: number): Promise<void> =>
  new Promise(resolve => setTimeout(resolve, delayMs).unref());

const noTurn = (): Promise<TurnAnswer> =>
  Promise.resolve({ failed: 'The request has no foreign kernel.' });

/** Returns the response to request `id`, or the reason why there is no response. */
function responseOf(
  id: number,
  { signal, deadlineMs, progress, turn = noTurn }: RequestOptions,
  { ended, write }: Pick<LiveProcess, 'ended' | 'write'>,
  listen: (listener: (line: string) => void) => void,
): Promise<Answer | NoResponse> {
  return new Promise(resolve => {
    const settle = (answer: Answer | NoResponse): void => {
      clearTimeout(deadline);
      signal.removeEventListener('abort', cancel);
      resolve(answer);
    };
    const lose = (why: NoResponse['why'], message: string): void => {
      settle({ type: 'lost', why, message });
    };
    const deadline = setTimeout(() => {
      lose('timeout', `The CUDA runner did not respond within ${Math.round(deadlineMs / 1000)} s.`);
    }, deadlineMs);
    const cancel = (): void => {
      lose('cancelled', 'The run was cancelled.');
    };
    signal.addEventListener('abort', cancel);
    if (signal.aborted) cancel();
    listen(line => {
      const decoded = decodeLine(line, id);
      if (decoded?.type === 'progress') {
        const { stage, fraction } = decoded;
        progress({ stage, ...(fraction === undefined ? {} : { fraction }) });
      } else if (decoded?.type === 'turn') {
        void turn(decoded).then(answer => {
          write(turnLine(id, answer));
        });
      } else if (decoded?.type === 'unbelievable') {
        const why = printable(decoded.why, 300);
        lose('unbelievable', `The CUDA runner returned an invalid response: ${why}`);
      } else if (decoded !== undefined) settle(decoded);
    });
    void ended.then(result => {
      lose('crashed', `The CUDA runner ${describeFailure(result)}`);
    });
  });
}
