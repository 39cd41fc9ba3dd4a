import { readFileSync, statSync } from 'node:fs'
import type { CST, Document, LineCounter, Node } from 'yaml'
import { seedListLimit } from '../../src/contract/index.ts'
import { EmulatorRefusal } from '../options.ts'
import type { ContentRefusal, Path, Problem } from './problems.ts'

/** Bytes of the largest file that is read. */
const largest = 16 * 1024 * 1024

/** Aliases of YAML may stand for so many nodes in all: a small file can stand for more than memory holds. So many anchors, too. */
const maxAliases = 1000

/** Keys in one place of a file: more than any part of it has. The parser compares each with each. */
const maxKeys = 200

/** Characters that are read in one turn of the event loop, so that signals are heard in between. */
const slice = 64 * 1024

/** A file as it was read. `locate` adds to problems of its content where in the file they are. */
interface YamlText {
  readonly content: unknown
  readonly locate: (problems: readonly Problem[]) => readonly Problem[]
}

interface Expected {
  /** What is to be given, in words: `a seed file`. */
  readonly kind: string
  readonly Refusal: new (problems: readonly Problem[], file: string) => ContentRefusal
}

/**
 * Reads a file in YAML, of which JSON is a part. Throws a Refusal for what is no YAML, and an EmulatorRefusal for what
 * can't be read.
 */
export async function readYamlFile(file: string, { kind, Refusal }: Expected): Promise<YamlText> {
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
      // An empty file has nothing in it.
      return document.toJS({ maxAliasCount: maxAliases }) ?? {}
    } catch (error) {
      throw new Refusal([{ path: [], message: (error as Error).message }], file)
    }
  }
}

type Complain = (message: string, offset: number) => never

/** Reads the text in turns of the event loop. Complains of what would take the parser long, as soon as it is there. */
async function parsed(text: string, lines: LineCounter, complain: Complain): Promise<Document.Parsed> {
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
      // After this mark comes a scalar, whatever it begins with.
      if (before !== CST.SCALAR && CST.tokenType(lexeme) === 'anchor') anchors += 1
      before = lexeme
      for (const token of parser.next(lexeme)) tokens.push(token)
      if (anchors > maxAliases) complain(`has more than ${maxAliases} anchors`, parser.offset)
      const open = parser.stack.at(-1)
      if (open && 'items' in open && open.items.length > mostIn(open)) {
        complain(`has more than ${mostIn(open)} entries in one place`, parser.offset)
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

function textOf(file: string, kind: string): string {
  try {
    const stat = statSync(file)
    if (!stat.isFile()) throw new EmulatorRefusal(`${file} is not a file.`, `Give ${kind} in YAML or JSON.`)
    if (stat.size > largest) {
      throw new EmulatorRefusal(`${file} has more than ${largest / 1024 / 1024} MiB.`, 'Give a smaller one.')
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
  } catch (error) {
    if (error instanceof EmulatorRefusal) throw error
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : message
    throw new EmulatorRefusal(`${file} can’t be read: ${why}`, `Give ${kind} in YAML or JSON.`)
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

/** Where a value is; of a key that should not be there, the key; of what is missing, what it is missing from. */
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
