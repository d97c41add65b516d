/** Writes docs/tutorials.md from the items of the tutorials: node out/scripts/tutorialDocs.js */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from './install/project';
import { tutorialsPage } from './tutorials/page';

writeFileSync(path.join(projectRoot(), 'docs', 'tutorials.md'), await tutorialsPage());
