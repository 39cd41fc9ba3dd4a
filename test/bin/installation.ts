import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa, type Options } from 'execa'
import { onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * A folder like the one in which npm installs payctl, with this bundle (a module that exports `main`) or without a
 * bundle. Removed after the test.
 */
export class Installation {
  readonly folder = mkdtempSync(join(tmpdir(), 'payctl-bin-'))

  constructor(bundle?: string) {
    onTestFinished(() => rmSync(this.folder, { recursive: true }))
    cpSync(join(root, 'bin'), join(this.folder, 'bin'), { recursive: true })
    cpSync(join(root, 'package.json'), join(this.folder, 'package.json'))
    if (bundle) this.write('dist/cli/main.cjs', bundle)
  }

  /** Adds `node_modules/node`, which `npm ci` installs in a checkout. */
  withPinnedNode(): this {
    const file = join(this.folder, 'node_modules/node/bin/node')
    mkdirSync(dirname(file), { recursive: true })
    symlinkSync(process.execPath, file)
    return this
  }

  get bin(): string {
    return join(this.folder, 'bin/payctl.js')
  }

  run(args: readonly string[], options: Pick<Options, 'env' | 'timeout' | 'killSignal'> = {}) {
    return execa(process.execPath, [this.bin, ...args], { reject: false, ...options })
  }

  /** Runs as if Node had this version. */
  runOnNode(version: string, args: readonly string[]) {
    const disguise = this.write(
      `node-${version}.cjs`,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })
       process.execPath = '/node-${version}'`,
    )
    return execa(process.execPath, ['--require', disguise, this.bin, ...args], {
      reject: false,
    })
  }

  write(name: string, text: string): string {
    const file = join(this.folder, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }
}
