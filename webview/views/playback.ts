/** State of a playback: the number of executed steps, and whether it plays. */
import { useEffect, useState } from 'preact/hooks';

const STEP_MS = 500;

export interface Playback {
  /** Number of executed steps. */
  readonly count: number;
  readonly playing: boolean;
  /** Starts or pauses; at the end, starts again from the first step. */
  readonly play: (play: boolean) => void;
  /** Pauses and moves to a number of executed steps. */
  readonly move: (count: number) => void;
}

/** @param stepMs time between two steps in milliseconds */
export function usePlayback(numSteps: number, stepMs = STEP_MS): Playback {
  const [count, setCount] = useState(0);
  const [playing, setPlaying] = useState(false);
  const ended = count === numSteps;
  useEffect(() => {
    if (!playing || ended) return undefined;
    const timer = setTimeout(() => {
      setCount(count + 1);
    }, stepMs);
    return () => {
      clearTimeout(timer);
    };
  }, [playing, ended, count, stepMs]);
  return {
    count,
    playing: playing && !ended,
    play: start => {
      setPlaying(start);
      if (start && ended) setCount(0);
    },
    move: to => {
      setPlaying(false);
      setCount(to);
    },
  };
}
