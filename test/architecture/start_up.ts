import { cpSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll } from 'vitest'
import { bundleCli } from '../../.build/bundle.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * At exit, prints the files and Node's own modules that were loaded. With UNTIL_READY they are those of the first
 * output, because an emulator loads more afterwards.
 */
const witness = `
const loaded = () => {
  const builtins = process.moduleLoadList.filter((name) => name.startsWith('NativeModule ')).map((name) => name.slice(13))
  return JSON.stringify({ chunks: Object.keys(require.cache), builtins })
}
let atReady
process.on('exit', () => require('node:fs').writeSync(3, atReady ?? loaded()))
if (process.env.UNTIL_READY) {
  const { get, ...stdout } = Object.getOwnPropertyDescriptor(process, 'stdout')
  Object.defineProperty(process, 'stdout', {
    ...stdout,
    get() {
      const stream = get.call(process)
      if (Object.hasOwn(stream, 'write')) return stream
      const { write } = stream
      return Object.assign(stream, {
        write(...values) {
          atReady ??= loaded()
          return write.apply(stream, values)
        },
      })
    },
  })
}`

afterAll(async () => {
  if (installation) rmSync((await installation).folder, { recursive: true })
})

let installation: Promise<{ folder: string; filesOf: ReadonlyMap<string, readonly string[]> }> | undefined

/** The installed payctl, and the source files of each file of the bundle. */
async function install() {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-start-'))
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true })
  cpSync(join(root, 'package.json'), join(folder, 'package.json'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'witness.cjs'), witness)
  const chunks = await bundleCli(join(folder, 'dist/cli'))
  const filesOf = new Map(chunks.map(({ fileName, files }) => [join(folder, 'dist/cli', fileName), files]))
  return { folder, filesOf }
}

interface LoadOptions {
  readonly env?: Readonly<Record<string, string>>
  /** True: ends the run at its first output, because the command does not end on its own. */
  readonly untilReady?: boolean
}

const packageName = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//

/**
 * Runs payctl. Returns the run's output, the loaded packages and modules of Node, the loaded parts of the bundle with
 * their size, and the source files in these parts.
 */
export async function loadedBy(args: readonly string[], { env = {}, untilReady = false }: LoadOptions = {}) {
  installation ??= install()
  const { folder, filesOf } = await installation
  const command = ['--require', join(folder, 'witness.cjs'), join(folder, 'bin/payctl.js'), ...args]
  const stdio = ['ignore', 'pipe', 'pipe', 'pipe'] as const
  // A run must not see emulators that the developer has started.
  const own = { PAYCTL_STATE_DIR: join(folder, 'state'), ...(untilReady && { UNTIL_READY: '1' }), ...env }
  const running = execa(process.execPath, command, { reject: false, stdio, env: own })
  if (untilReady) running.stdout.once('data', () => running.kill('SIGTERM'))
  const run = await running
  const { chunks, builtins } = JSON.parse(String(run.stdio[3])) as { chunks: string[]; builtins: string[] }
  const parts = chunks.filter((chunk) => filesOf.has(chunk))
  const files = parts.flatMap((part) => filesOf.get(part) ?? [])
  const bytes = parts.reduce((sum, part) => sum + statSync(part).size, 0)
  const packages = new Set([...files, ...chunks].flatMap((file) => packageName.exec(file)?.[1] ?? []))
  const output = `${run.stdout}${run.stderr}`
  return { files, packages: [...packages].sort(), parts: parts.length, bytes, builtins, output }
}
