/** Banned wordings with the replacement that the field uses. docs/glossary.md has the terms. */

export interface ProsePattern {
  readonly id: string;
  readonly pattern: RegExp;
  readonly advice: string;
}

const COUNTED =
  'registers?|bytes|B|threads|blocks|warps|elements|wavefronts|sectors|accumulators|results|words|lanes|cycles|columns|rows|FLOPs?|FMAs|MMAs|multiply-adds|instructions|transactions|tiles|slots|accesses|lines|panels|bits|kernels|runs|samples|parts|chunks|boxes|vectors|products|sums|iterations';
const UNITS =
  'thread|SM|block|warp|lane|request|step|second|cycle|multiprocessor|instruction|launch|GPU|cluster|group|consumer|tile|run|size|kernel|problem|element|row|column|iteration|stage|access|schedule|spec';

export const PROSE_PATTERNS: readonly ProsePattern[] = [
  {
    id: 'distributive-article',
    pattern: new RegExp(
      `\\b(?:${COUNTED}) an? (?:${UNITS})\\b(?! (?:is|are|has|have|does|gets)\\b)`,
    ),
    advice: 'Write "per": registers per thread, blocks per SM.',
  },
  {
    id: 'distributive-of',
    pattern: new RegExp(
      `\\b(?:(?:element|row|column|tile)s? of [ABC]|[0-9}] ?(?:B|KiB|s|ms|µs|ns)) an? (?:${UNITS})\\b`,
    ),
    advice: 'Write "per": 48 KiB per block.',
  },
  {
    id: 'of-opening',
    pattern: /(?:^|[.!?;] )Of (?!course)/,
    advice: 'Begin with the subject, not with "Of".',
  },
  {
    id: 'is-no',
    pattern:
      /(?<!\b[Tt]here )\b(?:is|are|was|were|be) (?:no|none)\b(?! (?:longer|more|less|greater|larger|smaller|wider|other|earlier|later|newer|older|slower|faster)\b)/,
    advice: 'Write "is not a", "has no" or "must be one of".',
  },
  {
    id: 'headless',
    pattern:
      /\b(?:[Ww]hoever|[Ww]homever|(?:of|by|from|for|with|than|beside|and|to|after|before|in|on) what (?!if\b|happened\b|happens\b)|[Tt]hose that|[Tt]hat which|the one that|the ones that)\b/,
    advice: 'Name the thing: "libraries with incorrect results".',
  },
  {
    id: 'relative-opening',
    pattern:
      /(?:^|[.!?] )(?:What (?!limits\b|happened\b|if\b|is\b|are\b|does\b|next\b)|Which (?!of\b)[a-z]+s? [a-z]+[^?]*\.)/,
    advice: 'Write a sentence with a subject and a verb.',
  },
  {
    id: 'personification',
    pattern:
      /\b(?:says|said|tells|told|heals?|healed|healing|cures?|cured|mends?|mended|speaks?|stands?|stood|standing|lies|lying|lay|asks for|asked for|is asked|are asked|goes by|went by|meets|promises?|promised)\b/,
    advice: 'Write reports, requires, fixes, is stored at, depends on, synchronizes, predicts.',
  },
  {
    id: 'dialect',
    pattern:
      /\b(?:anew|dearest|dearer|cheapest of|so many|so much of|there and back|multiprocessors?|multiply-adds?|as good as|as far as|belongs? into|broke off|breaks off|laid|re-?laid|turned over|turns over|turned|mirrored|unhindered|teeth|tooth|bows|apart|alike|taken away|takes turns|take turns|by itself|at once(?! per)|one after the other|beside each other|below each other|beside it|in the mean|thereby|therefor|nobody|somebody|everybody)\b/i,
    advice: 'Use the standard term of docs/glossary.md.',
  },
  {
    id: 'sums',
    pattern: /\b(?:[Tt]he|[Tt]heir|[Ii]ts|[Oo]f|[Pp]artial|[0-9}]|whose|more|such) sums\b/,
    advice: 'Write "accumulators", "partial results" or "products".',
  },
  {
    id: 'distributive-none',
    pattern: /\bneither (?:of|is)\b|\bnone of\b/,
    advice: 'Write "not ... and not ..." or "must be one of".',
  },
];
