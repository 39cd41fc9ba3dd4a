import { UsageError } from '../../errors/cli_error.ts'
import type { Context } from '../context.ts'
import { recordColumns } from './columns.ts'
import { lookUpMany } from './look_up_many.ts'
import type { Lookup } from './lookup.ts'
import { type LookupRequest, missing } from './request.ts'
import { valuesIn, valuesOf } from './values.ts'

/** One value is shown as a record, and is an error of its own when it is not found; a list has a row for each. */
export async function lookUp(request: LookupRequest, context: Context): Promise<void> {
  const { texts, file, noun } = request
  if (file !== undefined) {
    if (texts.length > 0) throw new UsageError(`--file and arguments both name ${noun}s.`, 'Give one of them')
    return lookUpMany(valuesIn(file, context), request, context)
  }
  const given = texts.length > 0 ? texts : [await withoutArguments(request, context)]
  const [first = '', ...others] = given
  if (others.length === 0 && first !== '-') return lookUpOne(first, request, context)
  await lookUpMany(valuesOf(given, context), { ...request, required: texts.length === 0 }, context)
}

async function lookUpOne(text: string, { key, normalize, find }: Lookup, context: Context): Promise<void> {
  const value = normalize(text)
  const holder = await find(value, await context.client())
  await context.output.record(holder, recordColumns(key))
}

/** Asks a person; takes the input of a pipe. */
async function withoutArguments({ noun, example, normalize }: LookupRequest, context: Context): Promise<string> {
  if (context.interactive) {
    const { askText } = await import('../prompts/value.ts')
    return askText({ message: `Which ${noun}?`, check: normalize }, context)
  }
  if (!context.io.stdin.isTTY) return '-'
  throw missing(noun, example)
}
