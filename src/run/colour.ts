import type { ChalkInstance } from 'chalk'
import type { Environment, Globals } from './invocation.ts'

/** Meaning of a cell's colour. */
export type Tone = 'good' | 'bad' | 'busy' | 'dim'

/** Colours only for terminals, unless forced or disabled. */
export function wantsColour(globals: Globals, env: Environment, isTerminal: boolean): boolean {
  if (globals.color === false || env.NO_COLOR) return false
  const forced = env.FORCE_COLOR || env.CLICOLOR_FORCE
  if (forced) return forced !== '0' && forced !== 'false'
  return isTerminal && env.TERM !== 'dumb' && env.CLICOLOR !== '0'
}

export interface Paint {
  heading(text: string): string
  error(text: string): string
  tone(tone: Tone, text: string): string
}

export const plain: Paint = {
  heading: (text) => text,
  error: (text) => text,
  tone: (_, text) => text,
}

export async function loadPaint(colour: boolean): Promise<Paint> {
  if (!colour) return plain
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level: 1 })
  const tones: Record<Tone, ChalkInstance> = {
    good: chalk.green,
    bad: chalk.red,
    busy: chalk.yellow,
    dim: chalk.dim,
  }
  return {
    heading: (text) => chalk.bold(text),
    error: (text) => chalk.bold.red(text),
    tone: (tone, text) => tones[tone](text),
  }
}
