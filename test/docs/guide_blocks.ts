import { readFileSync } from 'node:fs'

/** A block of code of a page. */
interface Block {
  readonly language: string
  /** The name of the file that it is, if its first line says so in a comment. */
  readonly file: string | undefined
  readonly text: string
}

/** The blocks below a heading, to the next of its level; all of the page without one. */
export function blocksOf(page: string, heading?: string): readonly Block[] {
  const text = readFileSync(new URL(`../../docs/guide/${page}`, import.meta.url), 'utf8')
  const section = heading === undefined ? text : (text.split(`\n## ${heading}\n`)[1]?.split(/^## /m)[0] ?? '')
  const found = [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
  if (found.length === 0) throw new Error(`There is no code in ${page} under ${heading}.`)
  return found.map(([, language = '', text = '']) => ({
    language,
    file: /^(?:\/\/|#) (\S+\.\w+)\n/.exec(text)?.[1],
    text,
  }))
}
