/**
 * Loaded before every test file: properties without a number of runs of their own follow the tier.
 */
import fc from 'fast-check';
import { IS_WHOLE, runs } from './helpers/depth';

const DEFAULT_RUNS = 100;

if (!IS_WHOLE) fc.configureGlobal(runs(DEFAULT_RUNS));
