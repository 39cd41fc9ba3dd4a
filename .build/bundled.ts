import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A package with code in the bundles. */
export interface Bundled {
  readonly name: string
  readonly version: string
  readonly license: string
  /** Several folders if npm installed the package more than once. */
  readonly folders: readonly string[]
  /** Paths of the package's bundled files. */
  readonly files: readonly string[]
  /** Names of the package's dependencies, including optional dependencies. */
  readonly dependencies: readonly string[]
}

/** The packages that these files belong to, sorted by name. */
export function bundledPackages(files: readonly string[]): readonly Bundled[] {
  const paths = new Set(files.map((file) => file.replace(/\?.*$/, '')))
  const byFolder = Map.groupBy(paths, packageFolder)
  byFolder.delete(null)
  const found = [...byFolder].map(([folder, members]) => read(folder ?? '', members))
  const byVersion = Map.groupBy(found, ({ name, version }) => `${name}@${version}`)
  return [...byVersion.values()].map(merged).sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
}

export const idOf = ({ name, version }: Pick<Bundled, 'name' | 'version'>): string => `${name}@${version}`

/** Folder of the package that a bundled file belongs to; null for a file of this project. */
function packageFolder(file: string): string | null {
  const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0]
  return folder && existsSync(join(folder, 'package.json')) ? folder : null
}

/** Reads the package.json of a folder. */
export function read(folder: string, files: readonly string[] = []): Bundled {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const { name, version, license, dependencies, optionalDependencies, peerDependencies } = manifest
  if (typeof license !== 'string') throw new Error(`${folder}/package.json names no licence`)
  const needed = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
  return { name, version, license, folders: [folder], files, dependencies: needed }
}

function merged(same: readonly Bundled[]): Bundled {
  const [first] = same
  if (!first) throw new Error('no package')
  return { ...first, folders: same.flatMap(({ folders }) => folders), files: same.flatMap(({ files }) => files) }
}

/** Folder of a package's dependency; `from` is the package's folder. Undefined if the dependency is not installed. */
export function installedFolder(name: string, from: string): string | undefined {
  for (let above = from; ; above = dirname(above)) {
    const folder = join(above, 'node_modules', name)
    if (existsSync(join(folder, 'package.json'))) return folder
    if (above === dirname(above)) return undefined
  }
}

/** Licence texts of the package, including those of vendored files. */
export function licenceTexts({ folders, files }: Bundled): readonly string[] {
  const places = new Set(files.flatMap((file) => foldersDownTo(file, folders)))
  const texts = [...places].flatMap((place) =>
    readdirSync(place, { withFileTypes: true })
      .filter((entry) => entry.isFile() && /^(licen[cs]e|copying|notice)/i.test(entry.name))
      .map(({ name }) => readFileSync(join(place, name), 'utf8').trim()),
  )
  return [...new Set(texts)]
}

/** Copyright comments that neither the bundles nor the licence texts contain. `files`: the bundled files. */
export function copyrightComments(files: readonly string[], texts: readonly string[]): readonly string[] {
  const known = words(texts.join('\n'))
  const comments = files
    .filter((file) => /\.[cm]?js$/.test(file))
    .flatMap((file) => readFileSync(file, 'utf8').match(/\/\*[\s\S]*?\*\/|^([ \t]*\/\/.*\n?)+/gm) ?? [])
    .filter((comment) => /copyright|\(c\) ?\d{4}/i.test(comment))
    .map((comment) => comment.replace(/^[ \t]*(\/\/|\/\*+!?|\*\/|\*(?!\/))? ?|[ \t]*\*\/\s*$/gm, '').trim())
  return [...new Map(comments.map((comment) => [words(comment), comment]))]
    .filter(([said]) => !known.includes(said))
    .map(([, comment]) => comment)
}

const words = (text: string): string => text.replace(/\W+/g, ' ').trim().toLowerCase()

function foldersDownTo(file: string, tops: readonly string[]): string[] {
  const top = tops.find((folder) => file.startsWith(`${folder}/`)) ?? dirname(file)
  const found = [top]
  for (let place = dirname(file); place.length > top.length; place = dirname(place)) found.push(place)
  return found
}
