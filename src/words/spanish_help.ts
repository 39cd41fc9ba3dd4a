import { batches } from './spanish/help/batches.ts'
import { connection } from './spanish/help/connection.ts'
import { holders } from './spanish/help/holders.ts'
import { money } from './spanish/help/money.ts'
import { payments } from './spanish/help/payments.ts'
import { screen } from './spanish/help/screen.ts'
import { topics } from './spanish/help/topics.ts'
import { placeholders } from './spanish/placeholders.ts'
import type { Translate } from './text.ts'

// The help in Spanish, in a chunk that only Spanish help loads. The English text in a command's record is the key of
// its translation; a text of several paragraphs has a key for each paragraph.

export const areas = { screen, placeholders, money, payments, batches, holders, connection, topics } as const

const catalogue = new Map<string, string>(
  Object.values<Readonly<Record<string, string>>>(areas).flatMap(Object.entries),
)

/** Help in Spanish; undefined if part of it has no translation. */
export function whollyInSpanish(render: (translate: Translate) => string): string | undefined {
  let isWhole = true
  const text = render(helpInSpanish(() => (isWhole = false)))
  return isWhole ? text : undefined
}

/** Translates texts of the help. A text without a translation stays English and is reported. */
export const helpInSpanish = (onMissing: (english: string) => void): Translate => {
  const translate: Translate = (said) => {
    const english = String(said)
    const spanish = sentence(english)
    if (spanish !== undefined) return spanish
    if (english.includes('\n')) return inParagraphs(english, translate)
    onMissing(english)
    return english
  }
  return translate
}

/** Translation of a sentence, with or without its full stop. */
function sentence(english: string): string | undefined {
  const spanish = catalogue.get(english)
  if (spanish !== undefined || !english.endsWith('.')) return spanish
  const clause = catalogue.get(english.slice(0, -1))
  return clause === undefined ? undefined : `${clause}.`
}

const inParagraphs = (english: string, translate: Translate): string =>
  english
    .split('\n\n')
    .map((paragraph) => (/^ /m.test(paragraph) ? byLine(paragraph, translate) : prose(paragraph, translate)))
    .join('\n\n')

/** Width of help that is not wrapped for the terminal. */
const width = 80

/** Translates and wraps a paragraph whose line breaks have no meaning. */
function prose(paragraph: string, translate: Translate): string {
  const [first = '', ...words] = translate(paragraph.replaceAll('\n', ' ')).split(' ')
  const lines = [first]
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`
    if (longer.length <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines.join('\n')
}

/**
 * A heading; `  $ payctl login    # the first time`; or `  --all   every page`. Of these lines, only the last part is
 * translated. Other indented lines are commands.
 */
const lineOfList = /^(\S+\[1m| +\$ .*?(?: {2,}(?!#)| +# )| +(?!\$).*?\S(?: {2,}|: )|(?! ))(\S.*?)(:(?:\S+\[22m)?)?$/gm

const byLine = (paragraph: string, translate: Translate): string =>
  paragraph.replace(lineOfList, (_, term: string, meaning: string, end = '') => term + translate(meaning) + end)
