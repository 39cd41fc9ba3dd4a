import { parseSync, Visitor } from 'rolldown/utils'

/** A sentence that needs a plainer form, and the reason. */
export interface Finding {
  readonly line: number
  readonly text: string
  readonly why: string
}

interface Rule {
  readonly pattern: RegExp
  readonly why: string
}

/** Openings of a comment that leave its subject open. */
const openings: readonly Rule[] = [
  { pattern: /^(What|Whether|Who|Whom|Whose|How) /, why: 'begin with a noun or a verb' },
  { pattern: /^(Of|Where|For whom|To whom|From what|By what) /, why: 'begin with a noun or a verb' },
  { pattern: /^(The same|One that|One whose|That of|Those (of|that)|Such) /, why: 'name the thing' },
]

/**
 * Openings that a description must not have, because a description names its value, such as the time of an event or the
 * number of items.
 */
const descriptionOpenings: readonly Rule[] = [
  ...openings,
  { pattern: /^(When|Why|Which|By what|As it|In words) /, why: 'begin with a noun or a verb' },
]

/** Words for which there are plainer words. */
const words: readonly Rule[] = [
  {
    pattern: /\b(is|are|was|were|be|been|being|as) told\b|\btold (of|by|to)\b|\btells?\b/i,
    why: 'reports, returns, prints, says, shows',
  },
  { pattern: /\banew\b|\bonce more\b/i, why: 'again' },
  { pattern: /\bmend(s|ed|ing)?\b/i, why: 'fix' },
  { pattern: /\bof (its|their) own\b/i, why: 'its own; separate' },
  { pattern: /\b(whoever|whomever|nobody hears)\b/i, why: 'the caller, the user' },
  { pattern: /\b(what|whatever) (came|became|comes|becomes|has become) of\b/i, why: 'result, outcome' },
  { pattern: /\bmade[ -]up\b/i, why: 'generated' },
  { pattern: /\brehears(e|es|ed|al)\b/i, why: 'dry run' },
  { pattern: /\bcom(e|es|ing) to an end\b|\bcame to an end\b/i, why: 'finish, end' },
  { pattern: /\bwidth nought\b/i, why: 'zero-width' },
  { pattern: /\bby the alphabet\b/i, why: 'alphabetically' },
  { pattern: /\bof which no\b|\bof whom no\b/i, why: 'a clause with its own subject' },
  { pattern: /\bwritten down\b/i, why: 'recorded, saved' },
  { pattern: /\btaken for (an?|the|whole)\b|\btakes? (it|them|this|that) for\b/i, why: 'counts as, treats as' },
  { pattern: /\b(go|goes|went) on\b/i, why: 'continue' },
  { pattern: /\bexists? already\b/i, why: 'already exists' },
  { pattern: /\b(is|are|be|was|were|still) answered [45]\d\d\b/i, why: 'answers with 429' },
  { pattern: /\bany longer\b|\bany more(?! \w)/i, why: 'say what is true now' },
  { pattern: /\b(was|were) not \w+ed (yet|so far)\b/i, why: 'has not been ... yet' },
  { pattern: /\bas (it|they) came\b/i, why: 'unchanged' },
  { pattern: /\bone after the other\b/i, why: 'one after another' },
  { pattern: /\bin the place of\b/i, why: 'instead of' },
  { pattern: /\bsaid (plainly|no)\b|\bsays? plainly\b/i, why: 'denied, clearly' },
  {
    pattern:
      /(?<!\bthere )\b(is|are) no (text|string|number|id|amount|iban|phone|url|date|time|duration|json|list|object|array|column|command|flag|address|account|name)\b/i,
    why: 'is not a ...; must be a ...',
  },
]

/** Forms that comments and pages replace by a subject and a verb. A message may say "There is no account". */
const proseWords: readonly Rule[] = [
  { pattern: /\bthere (is|are|was|were) no\b/i, why: 'without ...; ... is missing; null: no ...' },
  {
    pattern: /(?<!\bthere )\b(is|are|was|were) no (?!longer\b|(more|less|fewer|later|larger) than\b)\w/i,
    why: 'is not a ...',
  },
]

/** Findings in the comments of a TypeScript file. */
export function findingsIn(path: string, source: string): readonly Finding[] {
  const { comments } = parseSync(path, source)
  return comments.flatMap(({ value, start }) => {
    const text = value
      .split('\n')
      .map((line) => line.replace(/^\s*\*+ ?/, '').trim())
      .join(' ')
      .trim()
    if (/^(biome-ignore|v8|c8|@|#|\/|<)/.test(text)) return []
    const line = source.slice(0, start).split('\n').length
    return findingsInText(text).map((finding) => ({ ...finding, line }))
  })
}

/** Findings in the strings of a TypeScript file that are sentences: three words or more. */
export function findingsInMessages(path: string, source: string): readonly Finding[] {
  const findings: Finding[] = []
  const check = (message: string, start: number) => {
    if (!/[a-z]+ [a-z]+ [a-z]+/i.test(message) || isCode(message)) return
    const line = source.slice(0, start).split('\n').length
    for (const finding of wordsIn(message)) findings.push({ ...finding, line })
  }
  new Visitor({
    Literal: ({ value, start }) => {
      if (typeof value === 'string') check(value, start)
    },
    TemplateLiteral: ({ quasis, start }) => check(quasis.map(({ value }) => value.cooked ?? '').join('``'), start),
  }).visit(parseSync(path, source).program)
  return findings
}

/** True for SQL and command lines. */
const isCode = (text: string): boolean => /\b(CREATE|SELECT|UPDATE|INSERT|DELETE) |^payctl /.test(text)

/** Findings in the prose of a Markdown page. Code, comments and quotations are skipped. */
export function findingsInPage(page: string): readonly Finding[] {
  const blank = (text: string) => text.replace(/[^\n]/g, '')
  const prose = page
    .replace(/^( *)```[\s\S]*?^\1```/gm, blank)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/`[^`]*`/g, (code) => `\`${blank(code)}\``)
    .replace(/“[^”]*”/g, (quotation) => `“${blank(quotation)}”`)
  let line = 1
  return prose.split(/\n(?=\n|[-|] |\d\. )/).flatMap((paragraph) => {
    const start = line
    line += paragraph.split('\n').length
    return proseIn(paragraph.replace(/\n */g, ' ')).map((finding) => ({ ...finding, line: start }))
  })
}

/** Findings in one comment. */
export function findingsInText(text: string): readonly Omit<Finding, 'line'>[] {
  const [first = ''] = sentencesOf(text)
  const opening = openings.find(({ pattern }) => pattern.test(first))
  return [...(opening ? [{ text: first, why: opening.why }] : []), ...proseIn(text)]
}

/** Findings in the description of an endpoint, parameter, member or status. */
export function findingsInDescription(text: string): readonly Omit<Finding, 'line'>[] {
  const opening = descriptionOpenings.find(({ pattern }) => pattern.test(text))
  return [...(opening ? [{ text, why: opening.why }] : []), ...wordsIn(text)]
}

/** Findings of a comment or a page, by words. Quotations are not checked for the forms of prose. */
function proseIn(text: string): readonly Omit<Finding, 'line'>[] {
  return [...wordsIn(text), ...wordsIn(text.replace(/"[^"]*"|“[^”]*”/g, '""'), proseWords)]
}

/** Words of a text for which there are plainer words, and their sentences. */
function wordsIn(text: string, rules = words): readonly Omit<Finding, 'line'>[] {
  return sentencesOf(text).flatMap((sentence) =>
    rules.filter(({ pattern }) => pattern.test(sentence)).map(({ why }) => ({ text: sentence, why })),
  )
}

/** Sentences of a text. Code between backticks is not English. */
const sentencesOf = (text: string): readonly string[] => text.replace(/`[^`]*`/g, '``').split(/(?<=[.:;?!]) +(?=[A-Z])/)
