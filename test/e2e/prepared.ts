import { exampleArguments } from '../commands/example_arguments.ts'
import { type Row, rows, subscribe } from './command_rows.ts'
import type { Workplace } from './command_workplace.ts'

/** Prepares a command for one run. Each run needs its own records, because the command may delete them. */
export async function prepared(name: string, at: Workplace, flags: readonly string[] = []) {
  const { args, env, input, meanwhile }: Row = rows[name] ?? {}
  const { account: accounts, payment: payments } = at
  const webhooks = name.startsWith('webhooks ') && !args ? await subscribe(at) : undefined
  const given = (await args?.(at)) ?? (await exampleArguments(name, { accounts, payments, webhooks }))
  const argv = [...name.split(' '), ...given, ...flags]
  const wishes = { ...(input && { input: input(at) }), ...(meanwhile && { meanwhile: meanwhile(at) }) }
  const own = await env?.(at)
  return {
    piped: () => at.piped(argv, { ...wishes, env: { ...own } }),
    atTerminal: (colour: object) => at.atTerminal(argv, { ...wishes, env: { ...own, ...colour } }),
  }
}
