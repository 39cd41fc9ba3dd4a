import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { type ESTree, parseSync, Visitor } from 'rolldown/utils'

export interface Import {
  /** Path from the root of the project, or the name of a package. */
  readonly to: string
  readonly kind: 'static' | 'dynamic' | 'type'
  /** What is imported by name; empty for a whole module. */
  readonly names: readonly string[]
}

export interface SourceFile {
  readonly path: string
  readonly lines: number
  readonly imports: readonly Import[]
  /** Texts of all string literals and templates; a template's expressions are left out. */
  readonly strings: readonly string[]
  /** What is called or read by name: `Date.now`, `setTimeout`, `new Date/0` (with no argument). */
  readonly uses: readonly string[]
}

/** Reads TypeScript files from disk. */
export const readTree = (root: string, folders: readonly string[]): SourceFile[] =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
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
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, isType } of entries) {
      if (moduleRequest) imports.push({ to: resolve(moduleRequest.value), kind: isType ? 'type' : 'static', names: [] })
    }
  }
  const { strings, uses, dynamicImports } = walk(program)
  imports.push(...dynamicImports.map((request): Import => ({ to: resolve(request), kind: 'dynamic', names: [] })))
  return { path, lines: text.split('\n').length - 1, imports, strings, uses }
}

function walk(program: ESTree.Program) {
  const strings: string[] = []
  const uses: string[] = []
  const dynamicImports: string[] = []
  new Visitor({
    Literal(node) {
      if (typeof node.value === 'string') strings.push(node.value)
    },
    TemplateLiteral(node) {
      strings.push(node.quasis.map((quasi) => quasi.value.cooked).join('…'))
    },
    MemberExpression(node) {
      if (node.object.type === 'Identifier' && node.property.type === 'Identifier') {
        uses.push(`${node.object.name}.${node.property.name}`)
      }
    },
    CallExpression(node) {
      if (node.callee.type === 'Identifier') uses.push(node.callee.name)
    },
    NewExpression(node) {
      if (node.callee.type === 'Identifier') uses.push(`new ${node.callee.name}/${node.arguments.length}`)
    },
    ImportExpression(node) {
      if (node.source.type === 'Literal') dynamicImports.push(String(node.source.value))
    },
  }).visit(program)
  return { strings, uses, dynamicImports }
}
