/** Defines tools: typed arguments and results, and the answers that clients receive. */
import * as v from 'valibot';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { toJsonSchema } from '@valibot/to-json-schema';
import { decodeErrors } from '../../core/spec/decode';
import { Outside } from '../../host/confined';
import { messageOf, plainText } from '../../host/text';
import { EXIT, Failure, invalidInput, type Problem } from '../result';
import { notAllowed, type ServerSettings } from './settings';

/** One call of a tool. */
export interface Call {
  readonly settings: ServerSettings;
  /** Aborted when the client cancels the call or disconnects. */
  readonly abort: AbortSignal;
  /** Sends a progress notification. */
  readonly note: (line: string) => void;
}

export interface Answer<T> {
  readonly value: T;
  /** The same result as short text. */
  readonly text: string;
}

/**
 * Effects of a tool: `none`; `probes` if it starts tools to read their versions; `may-run` if some
 * arguments compile, run or write and then require `--allow-run`; `runs` if every call does.
 */
export type Effects = 'none' | 'probes' | 'may-run' | 'runs';

/** Sentences that a read-only server adds to the descriptions. */
const READ_ONLY: Readonly<Record<Effects, string>> = {
  none: '',
  probes: ' This server was started without --allow-run, so it starts no tool.',
  'may-run':
    ' This server was started without --allow-run, so arguments that run or write are refused.',
  runs: ' Not available: this server was started without --allow-run.',
};

type ObjectSchema = v.GenericSchema<unknown, object>;

interface Definition<I extends ObjectSchema, O extends ObjectSchema> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effects: Effects;
  /** Whether a call may overwrite files, or run code that is not generated here; default: false. */
  readonly destructive?: true;
  readonly input: I;
  readonly output: O;
  readonly run: (
    args: v.InferOutput<I>,
    call: Call,
  ) => Answer<v.InferOutput<O>> | Promise<Answer<v.InferOutput<O>>>;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly effects: Effects;
  /** Returns the entry of `tools/list`. */
  readonly listed: (settings: Pick<ServerSettings, 'allowRun'>) => Record<string, unknown>;
  /** Runs a call, and returns errors as results. */
  readonly call: (args: unknown, call: Call) => Promise<CallToolResult>;
}

export function tool<I extends ObjectSchema, O extends ObjectSchema>(
  definition: Definition<I, O>,
): Tool {
  const { name, title, description, effects, destructive, input, output, run } = definition;
  return {
    name,
    title,
    effects,
    listed: ({ allowRun }) => ({
      name,
      title,
      description: `${description}${allowRun ? '' : READ_ONLY[effects]}`,
      inputSchema: jsonSchemaOf(input),
      outputSchema: jsonSchemaOf(output),
      annotations: {
        title,
        readOnlyHint: effects === 'none' || !allowRun,
        destructiveHint: allowRun && destructive === true,
        idempotentHint: effects === 'none',
        openWorldHint: false,
      },
    }),
    call: async (args, call) => {
      try {
        if (effects === 'runs' && !call.settings.allowRun) throw notAllowed(name);
        const decoded = v.safeParse(input, args ?? {});
        if (!decoded.success) {
          throw invalidInput(
            `The arguments of ${name} are invalid:`,
            decodeErrors(decoded.issues, input, args),
          );
        }
        const { value, text } = await run(decoded.output, call);
        return {
          content: [{ type: 'text', text: plainText(text) }],
          structuredContent: plainValue(value),
        };
      } catch (error) {
        return { content: [{ type: 'text', text: plainText(errorText(error)) }], isError: true };
      }
    },
  };
}

/** Returns the JSON Schema of arguments or results, whose root must be an object. */
function jsonSchemaOf(schema: v.GenericSchema): Record<string, unknown> {
  const made: Record<string, unknown> = { ...toJsonSchema(schema, { errorMode: 'ignore' }) };
  delete made['$schema'];
  return { ...made, type: 'object' };
}

/** Returns the value as JSON, in which numbers that are not finite are null. */
const plainValue = (value: object): Record<string, unknown> =>
  JSON.parse(JSON.stringify(value)) as Record<string, unknown>;

const MAX_PROBLEMS = 12;

function errorText(error: unknown): string {
  if (error instanceof Outside) return error.message;
  if (!(error instanceof Failure)) return `Unexpected error: ${messageOf(error)}`;
  if (error.exit === EXIT.interrupted) return 'The call was cancelled.';
  const lines = error.problems.slice(0, MAX_PROBLEMS).map(problemText);
  const more = error.problems.length - lines.length;
  return [error.message, ...lines, ...(more > 0 ? [`  ... and ${more} more`] : [])].join('\n');
}

const problemText = ({ path, message }: Problem): string =>
  `  ${path}${path === '' ? '' : ': '}${message}`;
