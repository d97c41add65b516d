/**
 * Checks the layers of src/core, which the scripts call rooms. Prints their order, from
 * scripts/check/rooms.json, and the number of imports between them. Fails on an import from an
 * earlier layer to a later one, and on a cycle.
 *
 * node out/scripts/rooms.js
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { checkRooms, importsIn, isInOrder, reportText, sourceFiles } from './check/rooms';
import { projectRoot } from './install/project';

const root = projectRoot();
const core = path.join(root, 'src', 'core');
const order = JSON.parse(
  readFileSync(path.join(root, 'scripts', 'check', 'rooms.json'), 'utf8'),
) as readonly string[];
const files = sourceFiles(core);
const report = checkRooms(files, importsIn(core), order);
console.log(reportText(files, report));
process.exitCode = isInOrder(report) ? 0 : 1;
