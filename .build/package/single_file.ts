import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { keyringFor, nodeFor } from './npm_packages.ts'
import { removeSignature } from './pe.ts'
import { nodeVersion, type PlatformName, platforms } from './platforms.ts'

const sqlite = 'node_modules/better-sqlite3'
const keyring = 'node_modules/@napi-rs/keyring'

/**
 * Script that Node runs when the single file starts. The path is relative, because Node stores it in the single file.
 */
export const mainScript = '.build/package/single_file.cjs'

/** Paths of the files inside a single file, sorted. */
export function contents(name: PlatformName): readonly string[] {
  const folders = ['bin', 'dist/cli', 'dist/page', 'dist/suite_files', `${sqlite}/lib`]
  const binary = readdirSync(keyringFor(name)).filter((file) => file.endsWith('.node'))
  const single = [
    'package.json',
    ...['package.json', `prebuilds/${platforms[name].prebuild}`].map((file) => join(sqlite, file)),
    ...['package.json', 'index.js'].map((file) => join(keyring, file)),
    ...['package.json', ...binary].map((file) => join(keyringBinary(name), file)),
  ]
  return [...single, ...folders.flatMap(filesIn)].sort()
}

const keyringBinary = (name: PlatformName): string => join('node_modules', platforms[name].keyring)

/**
 * Path, in the checkout, of a file that `contents` lists. The keyring's binary is elsewhere in the checkout, because npm
 * installs it only for this machine.
 */
export const sourceOf = (name: PlatformName, path: string): string =>
  dirname(path) === keyringBinary(name) ? join(keyringFor(name), basename(path)) : path

/** Paths, in the checkout, of the binaries that a single file contains. */
export const binariesOf = (name: PlatformName): readonly string[] =>
  contents(name)
    .filter((path) => path.endsWith('.node'))
    .map((path) => sourceOf(name, path))

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())

/** Writes Node with payctl inside. Call it in the root of the checkout, after the build of dist/. */
export function writeSingleFile(name: PlatformName, output: string): void {
  if (process.versions.node !== nodeVersion)
    throw new Error(`This is Node ${process.versions.node}; only Node ${nodeVersion} can write files for itself.`)
  const config = {
    main: mainScript,
    executable: join(nodeFor(name), platforms[name].executable),
    output,
    useVfs: true,
    disableExperimentalSEAWarning: true,
    // NODE_OPTIONS is meant for other programs, and may contain options that this Node does not know.
    execArgvExtension: 'none',
    assets: Object.fromEntries(contents(name).map((path) => [path, sourceOf(name, path)])),
  }
  const folder = mkdtempSync('node_modules/.cache/payctl-single-file-')
  try {
    const file = join(folder, 'config.json')
    writeFileSync(file, JSON.stringify(config))
    execFileSync(process.execPath, ['--build-sea', file], { stdio: ['ignore', 'ignore', 'inherit'] })
    if (name === 'win-x64') removeSignature(output)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
