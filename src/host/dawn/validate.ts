/** Compiles WGSL with Dawn to find errors, without a driver. */
import { checkText, openCompiler } from '../../webgpu/checkText';
import type { WgslMessage, WgslText } from './job';

export async function validateTexts(
  gpu: GPU,
  texts: readonly WgslText[],
): Promise<WgslMessage[][]> {
  const device = await openCompiler(gpu);
  if (device === null) throw new Error("Dawn's null backend returned no adapter");
  const all: WgslMessage[][] = [];
  for (const text of texts) all.push(await checkText(device, text));
  return all;
}
