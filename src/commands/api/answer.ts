import type { Context } from '../../cli/command.ts'
import type { RawAnswer, RawRequest } from '../../client/client.ts'
import { isTooDeep } from '../../client/decode.ts'
import { CliError } from '../../errors/cli_error.ts'
import { isTabular } from '../../run/invocation.ts'
import { printableLines } from '../../run/sanitise.ts'
import { write } from '../../run/sink.ts'
import { jsonByDefault, printData, refusalOutput } from './rows.ts'

interface Asked {
  readonly request: RawRequest
  readonly include: boolean
}

/** An answer, and the error with which the run ends. */
export type PrintedAnswer = Omit<RawAnswer, 'error'> & { readonly error: Error | null }

/** Prints the answer. With an error, prints the body and throws the error. */
export async function printAnswer(answer: PrintedAnswer, { request, include }: Asked, context: Context): Promise<void> {
  const { status, headers, text, error } = answer
  if (include) await printHead(status, headers, context)
  const body = parse(text)
  if (error) {
    // Not filtered: the jq program is for the success answer.
    if (body === undefined) await printText(text, context)
    else await refusalOutput(context).record(body.value, [])
    throw error
  }
  if (body !== undefined) return printBody(body.value, context)
  await printText(text, context)
  if (context.globals.jq !== undefined && text !== '') throw notJson(request)
}

async function printHead(status: number, headers: RawAnswer['headers'], { output }: Context): Promise<void> {
  await output.line(`HTTP ${status}`)
  for (const [name, value] of Object.entries(headers)) await output.line(`${name}: ${value}`)
  await output.line('')
}

async function printBody(value: unknown, context: Context): Promise<void> {
  const output = jsonByDefault(context)
  if (!isTabular(output.format)) return output.record(value, [])
  const isEnvelope = typeof value === 'object' && value !== null && 'data' in value
  await printData(isEnvelope ? value.data : value, output, context.globals)
}

async function printText(text: string, { io: { stdout } }: Context): Promise<void> {
  if (text === '') return
  const shown = stdout.isTTY ? printableLines(text) : text
  await write(stdout, shown.endsWith('\n') ? shown : `${shown}\n`)
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isTooDeep(value) ? undefined : { value }
  } catch {
    return undefined
  }
}

const notJson = ({ method }: RawRequest): CliError =>
  new CliError(
    method === 'GET' ? 'unavailable' : 'outcome_unknown',
    'The answer is not JSON, so --jq could not filter it.',
    'Its text is on stdout. Check that the base URL is that of the API.',
  )
