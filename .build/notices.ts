import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bundled, copyrightComments, idOf, licenceTexts } from './bundled.ts'
import { type Part, vendoredIn } from './vendored.ts'

/** Folder with the licence texts that some packages do not include. */
const texts = '.build/licences'

/** Licences of all bundled packages. Throws for a package without a licence text. */
export function notices(packages: readonly Bundled[]): string {
  const used = new Set<string>()
  const own = (file: string): string => {
    used.add(file)
    return readFileSync(join(texts, file), 'utf8').trim()
  }
  const all = packages.map((bundled) => notice(bundled, own))
  const unused = readdirSync(texts).filter((file) => !used.has(file))
  if (unused.length > 0) throw new Error(`${texts} has texts of packages that are not bundled: ${unused.join(', ')}`)
  return all.map((text) => `${text}\n`).join(`\n${'-'.repeat(80)}\n\n`)
}

function notice(bundled: Bundled, own: (file: string) => string): string {
  const { name, version, license, files } = bundled
  const texts = licenceTexts(bundled)
  const found = texts.length > 0 ? texts : [lacking(bundled, own)]
  const vendored = vendoredIn(bundled).map(({ file, parts, text }) => `${file} ${contains(parts)}:\n\n${own(text)}`)
  const comments = copyrightComments(files, found).map((comment) => `A file says:\n\n${comment}`)
  return [`${name} ${version} (${license})`, ...found, ...vendored, ...comments].join('\n\n')
}

const contains = (parts: readonly Part[]): string =>
  parts.length === 0
    ? 'has lines of others'
    : `contains ${parts.map(({ name, version, license }) => `${[name, version].filter(Boolean).join(' ')} (${license})`).join(', ')}`

function lacking(bundled: Bundled, own: (file: string) => string): string {
  const file = `${bundled.name.replace('/', '+')}.txt`
  if (existsSync(join(texts, file))) return own(file)
  throw new Error(`${idOf(bundled)} has no text of its licence (${bundled.license}): find it, as ${join(texts, file)}`)
}
