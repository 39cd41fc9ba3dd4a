import { createOutput } from '../output/create_output.ts'
import type { Output } from '../output/output.ts'
import type { Context } from './context.ts'

/** For results that are not made of rows: JSON, on a terminal too, unless a flag asks for something else. */
export function jsonByDefault({ io, env, globals, output }: Context): Output {
  const isAsked = globals.jq !== undefined || globals.json || globals.output !== undefined
  if (isAsked || ['json', 'ndjson', 'yaml'].includes(output.format)) return output
  return createOutput({ io, env, globals: { ...globals, output: 'json' } })
}
