/** A story in steps: what was done, which keys it took, and a picture of what was then to be seen. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { screenshot } from '../vscodeHost';
import type { Hands } from './hands';

interface Step {
  readonly title: string;
  readonly text: string;
  readonly keys: readonly string[];
  readonly picture: string;
}

export interface Story {
  /** `text` may be made of what was seen. */
  readonly step: (title: string, act: () => Promise<string>) => Promise<void>;
  readonly write: (file: string, opening: string) => Promise<void>;
}

/** Pictures go to `images`, which holds nothing else. */
export async function tellStory(page: Page, hands: Hands, images: string): Promise<Story> {
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
      steps.push({ title, text, keys: hands.pressed(), picture });
    },
    write: async (file, opening) => {
      const body = steps.map(({ title, text, keys, picture }, index) =>
        [
          `## ${index + 1}. ${title}`,
          text,
          `Keys: ${keys.map(key => `\`${key}\``).join(' ')}`,
          `![${title}](images/tour/${picture})`,
        ].join('\n\n'),
      );
      await writeFile(file, `${[opening, ...body].join('\n\n')}\n`);
    },
  };
}
