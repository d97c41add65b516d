/** Writes docs/glossary.md from the glossary: node out/scripts/glossaryDocs.js */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { glossaryPage } from '../src/core/text/glossaryPage';
import { projectRoot } from './install/project';

writeFileSync(path.join(projectRoot(), 'docs', 'glossary.md'), glossaryPage());
