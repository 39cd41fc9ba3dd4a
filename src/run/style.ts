import type { ChalkInstance } from 'chalk'
import type { Environment, Globals } from './invocation.ts'

/** Meaning of a cell's colour. */
export type Tone = 'good' | 'bad' | 'busy' | 'dim' | 'live'

/**
 * True for a terminal, unless a flag or the environment disables colours. For other output, true only if the
 * environment forces colours.
 */
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
    live: chalk.bold.red,
  }
  return {
    heading: (text) => chalk.bold(text),
    error: (text) => chalk.bold.red(text),
    tone: (tone, text) => tones[tone](text),
  }
}

/** Signs for people. A mark has the same meaning without its colour. */
export interface Marks {
  readonly good: string
  readonly bad: string
  readonly busy: string
  readonly unknown: string
  /** Incoming money. */
  readonly incoming: string
  /** Mark in place of text that was cut. */
  readonly cut: string
  /** Parts of a progress bar. */
  readonly full: string
  readonly empty: string
}

const signs: Marks = {
  good: '✓',
  bad: '✗',
  busy: '…',
  unknown: '?',
  incoming: '↓',
  cut: '…',
  full: '█',
  empty: '░',
}

const ascii: Marks = { good: '+', bad: 'x', busy: '.', unknown: '?', incoming: '<', cut: '~', full: '#', empty: '-' }

/**
 * Unicode signs, or ASCII signs if the terminal may lack the Unicode signs. Signs are printed even without colours:
 * where a sign is used, nothing else shows its meaning.
 */
export const marksFor = (env: Environment): Marks => (env.TERM === 'dumb' || !isUtf8(env) ? ascii : signs)

/** Windows sets no locale in the environment; its terminals show UTF-8. */
function isUtf8(env: Environment): boolean {
  const locale = env.LC_ALL ?? env.LC_CTYPE ?? env.LANG
  return locale === undefined ? process.platform === 'win32' : /utf-?8/i.test(locale)
}
