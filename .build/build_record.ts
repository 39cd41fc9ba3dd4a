import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Inputs of the build: sources, and the lock file in node_modules, which names the installed packages. */
const sources = [
  ...['src', 'emulator', '.build', 'bin', 'package.json', 'tsconfig.json', 'LICENSE'],
  'node_modules/.package-lock.json',
]

const recordIn = (root: string) => join(root, 'node_modules/.cache/payctl-build')

/** True if neither dist/ nor the sources have changed since the last build. */
export function isBuilt(root: string): boolean {
  const record = recordIn(root)
  return existsSync(join(root, 'dist')) && existsSync(record) && readFileSync(record, 'utf8') === stateOf(root)
}

/** Records the state of the build's inputs and of dist/. Call it right after a build of dist/. */
export function recordBuild(root: string): void {
  const record = recordIn(root)
  mkdirSync(dirname(record), { recursive: true })
  writeFileSync(`${record}.${process.pid}`, stateOf(root))
  renameSync(`${record}.${process.pid}`, record)
}

function stateOf(root: string): string {
  const hash = createHash('sha256').update(process.version)
  for (const name of [...sources, 'dist']) {
    for (const file of filesOf(root, name)) {
      const content = readFileSync(join(root, file))
      hash.update(`${file}\0${content.length}\0`).update(content)
    }
  }
  return hash.digest('hex')
}

function filesOf(root: string, name: string): readonly string[] {
  const path = join(root, name)
  if (!existsSync(path)) return []
  if (statSync(path).isFile()) return [name]
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).map((each) => join(name, each))
  return names.filter((each) => statSync(join(root, each)).isFile()).sort()
}
