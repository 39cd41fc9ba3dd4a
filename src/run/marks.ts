import type { Environment, Globals } from './invocation.ts'

/** Signs for people. A mark has the same meaning without its colour. */
export interface Marks {
  readonly good: string
  readonly bad: string
  readonly busy: string
  readonly unknown: string
  /** Incoming money. */
  readonly incoming: string
  /** Replaces text that was cut. */
  readonly cut: string
  /** Parts of a bar. */
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

/** ASCII for terminals that may lack the signs, and for users who asked for plain text. */
export const marksFor = (globals: Globals, env: Environment): Marks =>
  globals.color === false || env.NO_COLOR || env.TERM === 'dumb' || !isUtf8(env) ? ascii : signs

/** Windows sets no locale in the environment; its terminals show UTF-8. */
function isUtf8(env: Environment): boolean {
  const locale = env.LC_ALL ?? env.LC_CTYPE ?? env.LANG
  return locale === undefined ? process.platform === 'win32' : /utf-?8/i.test(locale)
}
