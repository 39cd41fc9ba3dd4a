/** A command of a `console` block, and the output that follows it. */
export interface Shown {
  readonly command: string
  readonly output: string
}

/** Commands follow `$ `; a line that ends with a backslash continues in the next line. */
export function commandsOf(text: string): readonly Shown[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [, command = '', output = ''] = /^((?:[^\n]*\\\n)*[^\n]*\n)(.*)$/s.exec(part) ?? []
      return { command: command.trimEnd(), output: output.trimEnd() }
    })
}

/**
 * Answers that a person types at the questions of an output, in their order. A question takes up at most four lines.
 */
export function answersIn(output: string): readonly string[] {
  return output
    .split(/^✔ /m)
    .slice(1)
    .map((question) => {
      const [, yesOrNo] = /^(?:.*\n){0,3}?.*\? (Yes|No)(?:\n|$)/.exec(question) ?? []
      return yesOrNo === undefined ? (/: (.*)/.exec(question)?.[1] ?? '') : yesOrNo.slice(0, 1).toLowerCase()
    })
}

interface Variable {
  /** Pattern of a text on a page. */
  readonly shown: string
  /** Pattern of the text that a run may print instead; default: the same pattern. */
  readonly accepted?: string
  /** True for ids, which occur in later commands. */
  readonly isId?: boolean
}

/** Parts of an output that differ in each run. */
const variables: readonly Variable[] = [
  { shown: String.raw`^\.\.\.\n`, accepted: String.raw`(?:.*\n)*?` },
  { shown: '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', isId: true },
  { shown: 'int_[0-9a-z]{12}', isId: true },
  { shown: String.raw`\b(?=[a-z]*\d)(?=\d*[a-z])[0-9a-z]{5}(?:[0-9a-f]{3})?\b`, accepted: '[0-9a-z]{5,9}', isId: true },
  { shown: 'b_[0-9a-f]{12}' },
  { shown: String.raw`\b\d{25}\b` },
  { shown: String.raw`\b\d{4}-\d\d-\d\d\b` },
  { shown: String.raw`\b\d{1,2} de [a-z]+ de \d{4}\b` },
  { shown: String.raw`\b\d\d:\d\d(?::\d\d)?\b` },
  { shown: String.raw`\b\d+(?:\.\d+)? (?:m?s|min)\b` },
  { shown: String.raw`\bemulator \d{4,5}\b` },
  // A port with more or fewer digits than the port on the page moves line breaks.
  {
    shown: String.raw`\b(?:port\s|127\.0\.0\.1:)\d{4,5}\b\s*`,
    accepted: String.raw`(?:port\s|127\.0\.0\.1:)\d{4,5}\s*`,
  },
]

const number: Variable = { shown: String.raw`\d[\d,]*(?:\.\d+)?` }

/**
 * Compares outputs of a run with the outputs on a page, in which a line `...` matches any lines. Saves the ids of the
 * run, keyed by the ids on the page.
 */
export class Comparison {
  readonly #ids = new Map<string, string>()

  /** Replaces a text of the page in later commands. */
  replace(shown: string, actual: string): void {
    this.#ids.set(shown, actual)
  }

  /** A command with the ids of this run. */
  run(command: string): string {
    return [...this.#ids].reduce((text, [shown, actual]) => text.replaceAll(shown, actual), command)
  }

  /** `numbersVary`: accepts any number in place of each number, and lines that break elsewhere. */
  matches(output: string, actual: string, numbersVary = false): boolean {
    const shown = `${output}\n`
    const parts = numbersVary ? [...variables, number] : variables
    const literal = (text: string) => (numbersVary ? escaped(text).replace(/\s+/g, '\\s+') : escaped(text))
    const token = new RegExp(parts.map(({ shown }) => `(${shown})`).join('|'), 'gm')
    const ids: string[] = []
    let end = 0
    let pattern = ''
    for (const match of shown.matchAll(token)) {
      const part = parts[match.slice(1).findIndex((group) => group !== undefined)]
      const accepted = part?.accepted ?? part?.shown ?? ''
      if (part?.isId) ids.push(match[0])
      pattern += literal(shown.slice(end, match.index)) + (part?.isId ? `(${accepted})` : accepted)
      end = match.index + match[0].length
    }
    const found = new RegExp(`^${pattern}${literal(shown.slice(end))}$`).exec(`${actual}\n`)
    for (const [at, id] of ids.entries()) this.#ids.set(id, found?.[at + 1] ?? id)
    return found !== null
  }
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
