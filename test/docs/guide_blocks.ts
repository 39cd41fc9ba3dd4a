import { readFileSync } from 'node:fs'

/** A block of code of a page. */
export interface Block {
  readonly language: string
  /** Name of the block's file, if the first line of the block gives the name in a comment. */
  readonly file: string | undefined
  readonly text: string
  /** Note for the tests, in a comment that readers do not see. */
  readonly note: Note | undefined
}

interface Note {
  /**
   * `not run`: the test skips the block, for this reason. `runs on`: the block runs until the end of the page, as in a
   * separate terminal. `fails`: the reason is the failure that the block shows. `Ctrl-C`: the reason is a pattern;
   * the person presses Ctrl-C when the screen matches it. `beside the next`: the person presses Ctrl-C when the next block
   * has run. `numbers vary`: numbers differ in each run, for this reason.
   */
  readonly kind: 'not run' | 'runs on' | 'fails' | 'Ctrl-C' | 'beside the next' | 'numbers vary'
  readonly reason: string
}

const block =
  /(?:^<!-- (not run|runs on|fails|Ctrl-C|beside the next|numbers vary): ([^\n]+) -->\n)?^```(\w+)\n(.*?)^```$/gms

/**
 * The blocks below a heading, up to the next heading of its level; without a heading all blocks of the page. Pages are
 * in docs/guide.
 */
export function blocksOf(page: string, heading?: string): readonly Block[] {
  const text = readFileSync(new URL(`../../docs/guide/${page}`, import.meta.url), 'utf8')
  const section = heading === undefined ? text : (text.split(`\n## ${heading}\n`)[1]?.split(/^## /m)[0] ?? '')
  const found = [...section.matchAll(block)]
  if (found.length === 0 && heading !== undefined) throw new Error(`There is no code in ${page} under ${heading}.`)
  return found.map(([, kind, reason = '', language = '', text = '']) => ({
    language,
    file: /^(?:\/\/|#) (\S+\.\w+)\n/.exec(text)?.[1],
    text,
    note: kind === undefined ? undefined : { kind: kind as Note['kind'], reason },
  }))
}
