import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { type ESTree, parseSync, Visitor } from 'rolldown/utils'

export interface Import {
  /** Path from the root of the project, or the name of a package. */
  readonly to: string
  readonly kind: 'static' | 'dynamic' | 'type'
  /** Imported names; empty if the import takes the whole module. */
  readonly names: readonly string[]
}

export interface SourceFile {
  readonly path: string
  readonly lines: number
  readonly imports: readonly Import[]
  /** Exported names that are declared in this file. */
  readonly exports: readonly string[]
  /** Every name in the file. */
  readonly names: ReadonlySet<string>
  /** All string literals and templates; expressions in templates are left out. */
  readonly strings: readonly string[]
  /** Strings that are not part of a help text. */
  readonly messages: readonly string[]
  /** Calls and reads by name: `Date.now`, `setTimeout`, `new Date/0` (without arguments). */
  readonly uses: readonly string[]
}

/** Reads TypeScript files, including `.tsx` files, from disk. */
export const readTree = (root: string, folders: readonly string[]): SourceFile[] =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules/'))
      .map((name) => posix.join(folder, name))
      .map((path) => parseFile(path, readFileSync(join(root, path), 'utf8'))),
  )

export function parseFile(path: string, text: string): SourceFile {
  const { program, module, errors } = parseSync(path, text)
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`)
  const resolve = (request: string) => (request.startsWith('.') ? posix.join(posix.dirname(path), request) : request)
  const imports: Import[] = []
  for (const { moduleRequest, entries } of module.staticImports) {
    const isType = entries.length > 0 && entries.every((entry) => entry.isType)
    const names = entries.flatMap(({ importName }) => importName.name ?? [])
    imports.push({ to: resolve(moduleRequest.value), kind: isType ? 'type' : 'static', names })
  }
  const exports: string[] = []
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, exportName, isType } of entries) {
      if (moduleRequest) imports.push({ to: resolve(moduleRequest.value), kind: isType ? 'type' : 'static', names: [] })
      else if (exportName.name) exports.push(exportName.name)
    }
  }
  const { dynamicImports, ...found } = walk(program)
  imports.push(...dynamicImports.map((request): Import => ({ to: resolve(request), kind: 'dynamic', names: [] })))
  return { path, lines: text.split('\n').length - 1, imports, exports, ...found }
}

function walk(program: ESTree.Program) {
  const strings: string[] = []
  const messages: string[] = []
  const helpTexts: { readonly start: number; readonly end: number }[] = []
  const add = (text: string, { start }: { readonly start: number }) => {
    strings.push(text)
    const isHelp = text.includes('\n') || helpTexts.some((help) => help.start <= start && start < help.end)
    if (!isHelp) messages.push(text)
  }
  const uses: string[] = []
  const names = new Set<string>()
  const dynamicImports: string[] = []
  new Visitor({
    Identifier(node) {
      names.add(node.name)
    },
    Literal(node) {
      if (typeof node.value === 'string') add(node.value, node)
    },
    TemplateLiteral(node) {
      add(node.quasis.map((quasi) => quasi.value.cooked).join('…'), node)
    },
    MemberExpression(node) {
      if (node.object.type === 'Identifier' && node.property.type === 'Identifier') {
        uses.push(`${node.object.name}.${node.property.name}`)
      }
    },
    CallExpression(node) {
      if (node.callee.type === 'Identifier') uses.push(node.callee.name)
      const { callee, arguments: given } = node
      const name = callee.type === 'Identifier' ? callee.name : callee.type === 'MemberExpression' ? nameOf(callee) : ''
      if (helpCalls.has(name)) helpTexts.push(...given)
    },
    Property(node) {
      if (node.key.type === 'Identifier' && helpMembers.has(node.key.name)) helpTexts.push(node.value)
    },
    NewExpression(node) {
      if (node.callee.type === 'Identifier') uses.push(`new ${node.callee.name}/${node.arguments.length}`)
      if (node.callee.type === 'Identifier' && node.callee.name === 'Option') helpTexts.push(...node.arguments)
    },
    ImportExpression(node) {
      if (node.source.type === 'Literal') dynamicImports.push(String(node.source.value))
    },
  }).visit(program)
  return { strings, messages, uses, names, dynamicImports }
}

/** Functions that build the help of a command. */
const helpCalls: ReadonlySet<string> = new Set(
  'description summary usage option requiredOption argument addHelpText examples ownGlobal'.split(' '),
)

/** Members of a command's record that are help text. */
const helpMembers: ReadonlySet<string> = new Set(['summary', 'about', 'notes', 'details', 'examples'])

const nameOf = ({ property }: ESTree.MemberExpression): string => (property.type === 'Identifier' ? property.name : '')
