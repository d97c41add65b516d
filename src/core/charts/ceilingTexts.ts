/** Label texts of a roofline ceiling, from longest to shortest. */
import type { Ceiling } from '../roofline/contract';

const shortName = (name: string): string =>
  firstPart(name).replace(/ bandwidth$| tensor-core(?= peak)/, '');

const firstPart = (name: string): string => name.split(',')[0] ?? name;

/**
 * "Measured" is reserved for the kernel's point; ceilings from micro-benchmarks are labeled
 * "empirical".
 */
export function ceilingTexts(
  { name, from }: Pick<Ceiling, 'name' | 'from'>,
  value: string,
  compact: boolean,
): readonly string[] {
  const short = shortName(name);
  const texts =
    from === 'measured'
      ? [
          `${firstPart(name)}, empirical: ${value}`,
          `${short}, empirical: ${value}`,
          `${short}: ${value}`,
        ]
      : [
          `${name}, ${from === 'spec' ? 'datasheet' : from}: ${value}`,
          `${name}: ${value}`,
          `${short}: ${value}`,
        ];
  return compact ? texts.slice(1) : texts;
}
