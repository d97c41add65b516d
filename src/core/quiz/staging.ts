/** Questions about staging: which element of A or B is at a place in shared memory. */
import { t } from '@vscode/l10n';
import { isLowered, type Kernel, type LoweredKernel } from '../kernel/kernel';
import { stagedPlaces, type StagedPlace } from '../trace/stagedPlaces';
import { byText, choice, type Question } from './question';

/** Row and column of the shared array in the question, if the array is large enough. */
const ROW = 3;
const COLUMN = 17;

/** Returns no questions about kernels without staged tiles, and about `wgmma`. */
export const stagingQuestions = (kernel: Kernel): readonly Question[] =>
  isLowered(kernel)
    ? (['a', 'b'] as const).flatMap(operand => stagedQuestion(kernel, operand) ?? [])
    : [];

interface Staged {
  readonly row: number;
  readonly column: number;
  readonly place: StagedPlace;
  readonly subscripts: readonly number[];
}

/** Returns the elements of the first tile of A or B that have a place with subscripts. */
function stagedTile(kernel: LoweredKernel, operand: 'a' | 'b'): readonly Staged[] {
  const placeOf = stagedPlaces(kernel);
  const { plan, problem } = kernel;
  const inside = (side: 'm' | 'n' | 'k'): number => Math.min(plan.tile[side], problem[side]);
  const [rows, columns] = operand === 'a' ? [inside('m'), inside('k')] : [inside('k'), inside('n')];
  return Array.from({ length: rows * columns }, (_, at) => {
    const [row, column] = [Math.floor(at / columns), at % columns];
    const place = placeOf(operand, { row, column });
    const subscripts = place?.subscripts ?? null;
    return place === null || subscripts === null ? null : { row, column, place, subscripts };
  }).filter(staged => staged !== null);
}

const nameOf = ({ place: { array }, subscripts }: Staged): string =>
  `${array}${subscripts.map(index => `[${index}]`).join('')}`;

function stagedQuestion(kernel: LoweredKernel, operand: 'a' | 'b'): Question | null {
  const tile = stagedTile(kernel, operand);
  const lines = tile.map(({ subscripts }) => subscripts.at(-2) ?? 0);
  const line = Math.min(ROW, Math.max(0, ...lines));
  const inLine = tile.filter(({ subscripts }) => subscripts.at(-2) === line);
  const chosen =
    inLine.find(({ subscripts }) => subscripts.at(-1) === COLUMN) ??
    inLine.toSorted(
      (one, other) => (other.subscripts.at(-1) ?? 0) - (one.subscripts.at(-1) ?? 0),
    )[0];
  if (chosen === undefined) return null;
  const name = operand.toUpperCase();
  const element = (row: number, column: number): string => `${name}(${row}, ${column})`;
  const at = chosen.subscripts.at(-1) ?? 0;
  return choice(
    {
      id: `staging/${operand}`,
      topic: 'staging',
      text: t(
        'The block of C(0, 0) has loaded its first tile. Which element of {0} is in {1}?',
        name,
        nameOf(chosen),
      ),
      derivation: stagedDerivation(tile, chosen, element),
    },
    element(chosen.row, chosen.column),
    [
      {
        value: element(line, at),
        mistake: t('This takes the subscripts as row and column of {0}.', name),
      },
      {
        value: element(at, line),
        mistake: t('This takes the subscripts as column and row of {0}.', name),
      },
      {
        value: element(chosen.column, chosen.row),
        mistake: t('This exchanges row and column.'),
      },
      {
        value: element(chosen.row + 1, chosen.column),
        mistake: t('Rows and columns are counted from 0.'),
      },
      {
        value: element(chosen.row, chosen.column + 1),
        mistake: t('Rows and columns are counted from 0.'),
      },
    ],
    byText,
  );
}

function stagedDerivation(
  tile: readonly Staged[],
  chosen: Staged,
  element: (row: number, column: number) => string,
): readonly string[] {
  const find = (row: number, column: number): readonly Staged[] =>
    tile.filter(staged => staged.row === row && staged.column === column);
  const shown = [...find(0, 0), ...find(0, 1), ...find(1, 0)];
  const neighbors = tile.filter(
    ({ subscripts }) =>
      subscripts.at(-2) === chosen.subscripts.at(-2) && (subscripts.at(-1) ?? 0) <= 2,
  );
  const stated = (staged: Staged): string =>
    t('{0} is in {1}', element(staged.row, staged.column), nameOf(staged));
  return [
    t('The tile is stored as follows: {0}.', shown.map(stated).join('; ')),
    ...(neighbors.length === 0
      ? []
      : [t('The row of the array starts with: {0}.', neighbors.map(stated).join('; '))]),
    t('Therefore {0}, in bank {1}.', stated(chosen), chosen.place.bank),
  ];
}
