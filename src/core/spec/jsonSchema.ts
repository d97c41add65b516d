/** The JSON Schema of `*.gemm.json`, made from the declaration that decodes it. */
import { toJsonSchema } from '@valibot/to-json-schema';
import { deviceIds } from '../device/devices';
import { specSchema } from './schema';

export function specJsonSchema(): object {
  const schema = toJsonSchema(specSchema, { errorMode: 'ignore' });
  const device = { ...(schema.properties?.['device'] as object), enum: [...deviceIds] };
  return { title: 'GEMM Explorer spec', ...schema, properties: { ...schema.properties, device } };
}
