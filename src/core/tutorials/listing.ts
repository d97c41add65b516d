/** Listings of a tutorial: loop nests in Python. */
import type { LoopNest, LoopProblem } from '../nests/nest';
import { loopLines, pythonText } from '../nests/python';
import type { Listing } from './tutorial';

/** Returns the loops for the report, and the program for the file `id`.py. */
export const listing = (
  row: string,
  id: string,
  title: string,
  nest: LoopNest,
  problem: LoopProblem,
): Listing => ({
  row,
  title,
  text: loopLines(nest, problem).join('\n'),
  file: { name: `${id}.py`, text: pythonText(nest, problem) },
});
