// The project's lint rules for bench/, which `npm run check` leaves out: npm run check:bench
import project from '../eslint.config.mjs';

/** The project's list of ignored folders without this one. */
const withBench = part =>
  part.ignores?.includes('bench')
    ? { ...part, ignores: part.ignores.filter(folder => folder !== 'bench') }
    : part;

export default project.map(withBench);
