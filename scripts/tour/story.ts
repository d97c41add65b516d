/** Runs the steps of a tour, each with a text and a screenshot. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { screenshot } from '../vscodeHost';

interface Step {
  readonly title: string;
  readonly text: string;
  readonly picture: string;
}

export interface Story {
  readonly step: (title: string, act: () => Promise<string>) => Promise<void>;
  readonly write: (file: string, opening: string) => Promise<void>;
}

/** Writes the screenshots to `images`, which is emptied first. */
export async function tellStory(page: Page, images: string): Promise<Story> {
  await rm(images, { recursive: true, force: true });
  await mkdir(images, { recursive: true });
  const steps: Step[] = [];
  return {
    step: async (title, act) => {
      const number = String(steps.length + 1).padStart(2, '0');
      console.log(`${number} ${title}`);
      const text = await act();
      await page.locator('.notification-toast').first().waitFor({ state: 'hidden' });
      const picture = `${number}-${title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.png`;
      await screenshot(page, join(images, picture));
      steps.push({ title, text, picture });
    },
    write: async (file, opening) => {
      const body = steps.map(({ title, text, picture }, index) =>
        [
          `## ${index + 1}. ${title}`,
          ...text.split('\n\n').map(wrapped),
          `![${title}](images/tour/${picture})`,
        ].join('\n\n'),
      );
      await writeFile(file, `${[opening, ...body].join('\n\n')}\n`);
    },
  };
}

const COLUMNS = 100;

export function wrapped(paragraph: string): string {
  const lines: string[] = [];
  for (const word of paragraph.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > COLUMNS) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join('\n');
}
