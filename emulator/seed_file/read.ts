import { readFileSync, statSync } from 'node:fs'
import type { Document, LineCounter, Node } from 'yaml'
import { EmulatorRefusal } from '../options.ts'
import type { ContentRefusal, Path, Problem } from './problems.ts'

/** Bytes of the largest file that is read. */
const largest = 16 * 1024 * 1024

/** Aliases of YAML may stand for so many nodes in all: a small file can stand for more than memory holds. */
const maxAliases = 1000

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
  const { LineCounter, parseDocument } = await import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true, version: '1.2' })
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
