import { readFileSync, statSync } from 'node:fs'
import type { CST, Document, LineCounter, Node } from 'yaml'
import { seedListLimit } from '../../src/contract/index.ts'
import { setImmediate } from '../../src/real_time.ts'
import { EmulatorRefusal } from '../options.ts'
import type { ContentRefusal, Path, Problem } from './problems.ts'

/** Size limit of a file, in bytes. */
const largest = 16 * 1024 * 1024

/**
 * Maximum number of times that the aliases of one YAML anchor are expanded, including nested aliases, because a small
 * file can expand to more than memory holds. The number of anchors has the same limit.
 */
const maxAliases = 1000

/**
 * Limit of the keys in one mapping; no part of a valid file has so many. The limit is needed because the parser
 * compares each key with every other key.
 */
const maxKeys = 200

/** Number of characters read in one turn of the event loop, so that signals are handled in between. */
const slice = 64 * 1024

interface Expected {
  /** Noun for the expected content: `a seed file`. */
  readonly kind: string
  readonly Refusal: new (problems: readonly Problem[], file: string) => ContentRefusal
}

/**
 * Reads a YAML or JSON file. `locate` adds positions in the file to problems of its content. Throws a Refusal for
 * invalid YAML, and an EmulatorRefusal for a file that can't be read.
 */
export async function readYamlFile(
  file: string,
  { kind, Refusal }: Expected,
): Promise<{ readonly content: unknown; readonly locate: (problems: readonly Problem[]) => readonly Problem[] }> {
  const text = textOf(file, kind)
  const { LineCounter } = await import('yaml')
  const lines = new LineCounter()
  const document = await parsed(text, lines, (message, offset) => {
    throw new Refusal([{ path: [], message, position: positionOf(offset, lines) }], file)
  })
  if (document.errors.length > 0 || document.warnings.length > 0) {
    const faults = [...document.errors, ...document.warnings]
    throw new Refusal(
      faults.map(({ code, message, pos: [offset] }) => ({
        path: [],
        message: code === 'MULTIPLE_DOCS' ? 'begins another document; one is read' : message,
        position: positionOf(offset, lines),
      })),
      file,
    )
  }
  return { content: plain(), locate: (problems) => located(problems, document, lines) }

  function plain(): unknown {
    try {
      // An empty file counts as an empty object.
      return document.toJS({ maxAliasCount: maxAliases }) ?? {}
    } catch (error) {
      throw new Refusal([{ path: [], message: (error as Error).message }], file)
    }
  }
}

/**
 * Parses the text over several turns of the event loop. Refuses content that would take the parser a long time, as soon
 * as such content is found.
 */
async function parsed(
  text: string,
  lines: LineCounter,
  complain: (message: string, offset: number) => never,
): Promise<Document.Parsed> {
  const { Composer, CST, Lexer, Parser, YAMLParseError } = await import('yaml')
  const lexer = new Lexer()
  const parser = new Parser(lines.addNewLine)
  const tokens: CST.Token[] = []
  lines.addNewLine(0)
  let anchors = 0
  let before = ''
  for (let at = 0; at === 0 || at < text.length; at += slice) {
    await new Promise((resolve) => setImmediate(resolve))
    for (const lexeme of lexer.lex(text.slice(at, at + slice), at + slice < text.length)) {
      // The scalar mark announces that the next lexeme is a scalar, even if it looks like an anchor.
      if (before !== CST.SCALAR && CST.tokenType(lexeme) === 'anchor') anchors += 1
      before = lexeme
      for (const token of parser.next(lexeme)) tokens.push(token)
      if (anchors > maxAliases) complain(`has more than ${maxAliases} anchors`, parser.offset)
      const open = parser.stack.at(-1)
      if (open && 'items' in open && open.items.length > mostIn(open)) {
        complain(`has more than ${mostIn(open)} entries in one list or object`, parser.offset)
      }
    }
  }
  tokens.push(...parser.end())
  const composer = new Composer({ prettyErrors: false, stringKeys: true, version: '1.2' })
  const [document, other] = composer.compose(tokens, true, text.length)
  if (other) document?.errors.push(new YAMLParseError([other.range[0], other.range[1]], 'MULTIPLE_DOCS', ''))
  return document as Document.Parsed
}

const mostIn = (open: CST.BlockMap | CST.BlockSequence | CST.FlowCollection): number =>
  open.type === 'block-map' || (open.type === 'flow-collection' && open.start.type === 'flow-map-start')
    ? maxKeys
    : seedListLimit

/** Words for errors of reading a file, by code. */
const reasons: Readonly<Record<string, string>> = {
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8',
  ENOENT: 'no such file or folder',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'permission is denied',
}

function textOf(file: string, kind: string): string {
  try {
    const stat = statSync(file)
    if (!stat.isFile()) throw new EmulatorRefusal(`${file} is not a file.`, `Give ${kind} in YAML or JSON.`)
    if (stat.size > largest) {
      throw new EmulatorRefusal(`${file} has more than ${largest / 1024 / 1024} MiB.`, 'Give a smaller file.')
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
  } catch (error) {
    if (error instanceof EmulatorRefusal) throw error
    const { code, message } = error as NodeJS.ErrnoException
    throw new EmulatorRefusal(
      `${file} can’t be read: ${reasons[code ?? ''] ?? message}.`,
      `Give ${kind} in YAML or JSON.`,
    )
  }
}

const positionOf = (offset: number, lines: LineCounter): string => {
  const { line, col } = lines.linePos(offset)
  return `${line}:${col}`
}

function located(problems: readonly Problem[], document: Document, lines: LineCounter): readonly Problem[] {
  const placed = problems.map((problem) => ({ problem, offset: offsetOf(problem.path, document) }))
  return placed
    .sort((a, b) => a.offset - b.offset)
    .map(({ problem, offset }) => ({ ...problem, position: positionOf(offset, lines) }))
}

/**
 * Offset of a value in the file. For an unknown key, returns the offset of the key; for a missing value, the offset of
 * its parent.
 */
function offsetOf(path: Path, document: Document): number {
  for (let length = path.length; length > 0; length--) {
    const parent = document.getIn(path.slice(0, length - 1), true)
    const pair = pairsOf(parent).find(({ key }) => key.value === path[length - 1])
    const node = pair?.value ?? pair?.key ?? (document.getIn(path.slice(0, length), true) as Node | undefined)
    if (node?.range) return node.range[0]
  }
  return document.contents?.range?.[0] ?? 0
}

interface Pair {
  readonly key: Node & { readonly value: unknown }
  readonly value: Node | null
}

const pairsOf = (node: unknown): readonly Pair[] =>
  typeof node === 'object' && node !== null && 'items' in node && Array.isArray(node.items)
    ? node.items.filter((item) => typeof item === 'object' && item !== null && 'key' in item)
    : []
