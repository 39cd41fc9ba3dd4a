/**
 * The text that a terminal shows, including lines that have scrolled away. Handles the commands that prompts, spinners
 * and tables use. Every character takes one cell. A line longer than the terminal continues in the next line.
 */
export class Screen {
  columns: number
  rows: number
  #lines: string[][] = [[]]
  #row = 0
  #column = 0
  #unread = ''

  constructor(columns: number, rows: number) {
    this.columns = columns
    this.rows = rows
  }

  get text(): string {
    return this.#lines
      .map((line) =>
        Array.from(line, (cell) => cell ?? ' ')
          .join('')
          .trimEnd(),
      )
      .join('\n')
      .trimEnd()
  }

  write(chunk: string): void {
    const text = this.#unread + chunk
    let end = 0
    for (const match of text.matchAll(token)) {
      const [all, parameters, final, control, character] = match
      if (match.index + all.length === text.length && all.startsWith('\x1b') && final === undefined) break
      end = match.index + all.length
      if (final !== undefined) this.#command(final, parameters ?? '')
      else if (control !== undefined) this.#control(control)
      else if (character !== undefined) this.#put(character)
    }
    this.#unread = text.slice(end)
  }

  #put(character: string): void {
    if (this.#column >= this.columns) {
      this.#column = 0
      this.#down()
    }
    this.#line[this.#column] = character
    this.#column += 1
  }

  #control(control: string): void {
    if (control === '\r') this.#column = 0
    else if (control === '\n') this.#down()
    else if (control === '\b') this.#column = Math.max(0, this.#column - 1)
    else if (control === '\t') this.#column = Math.min(this.columns - 1, (Math.floor(this.#column / 8) + 1) * 8)
  }

  #command(final: string, parameters: string): void {
    const [first = 0, second = 0] = parameters.split(';').map(Number)
    const steps = Math.max(1, first || 0)
    if (final === 'A' || final === 'F') this.#row = Math.max(this.#top, this.#row - steps)
    if (final === 'B' || final === 'E') for (let step = 0; step < steps; step += 1) this.#down()
    if (final === 'C') this.#column = Math.min(this.columns - 1, this.#column + steps)
    if (final === 'D') this.#column = Math.max(0, this.#column - steps)
    if (final === 'E' || final === 'F') this.#column = 0
    if (final === 'G') this.#column = steps - 1
    if (final === 'H' || final === 'f') this.#moveTo(this.#top + steps - 1, Math.max(1, second) - 1)
    if (final === 'K') this.#eraseLine(first)
    if (final === 'J') this.#eraseScreen(first)
  }

  #moveTo(row: number, column: number): void {
    while (this.#lines.length <= row) this.#lines.push([])
    this.#row = row
    this.#column = column
  }

  #down(): void {
    this.#moveTo(this.#row + 1, this.#column)
  }

  #eraseLine(what: number): void {
    if (what === 0) this.#line.length = Math.min(this.#line.length, this.#column)
    else if (what === 2) this.#line.length = 0
    else this.#line.fill(' ', 0, this.#column + 1)
  }

  #eraseScreen(what: number): void {
    if (what === 0) {
      this.#eraseLine(0)
      this.#lines.length = this.#row + 1
    } else if (what === 2) {
      for (const line of this.#lines.slice(this.#top)) line.length = 0
    }
  }

  get #line(): string[] {
    return this.#lines[this.#row] ?? []
  }

  get #top(): number {
    return Math.max(0, this.#lines.length - this.rows)
  }
}

/** Matches a command and its parameters, any other escape sequence, a control character, or a character to show. */
const token =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are steered by them
  /\x1b\[[<-?]?([\d;]*)[ -/]*([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[^[\]]|\x1b(?:\[[\d;<-?]*|\][^\x07\x1b]*)?$|([\x00-\x1f\x7f])|([^\x00-\x1f\x7f])/gu
