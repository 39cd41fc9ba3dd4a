import { chmodSync, chownSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { execa, type Result } from 'execa'
import { Installation } from './installation.ts'

/** Ids of two users, who need not exist. */
export const stranger = 60_001
export const owner = 60_002

/** Only root can act as other users. */
export const canBeOthers = process.getuid?.() === 0

const become = `
  const id = Number(process.env.BECOME)
  process.setgroups([])
  process.setgid(id)
  process.setuid(id)`

/**
 * Compiles `evil` with Node, and stores the result as the compiled code of `victim`. Node compares lengths and
 * checksums, but anyone who can write to the folder can forge both.
 */
const plant = `
  const [cache, victim, evil, user] = process.argv.slice(2)
  const fs = require('node:fs'), { join } = require('node:path'), { crc32 } = require('node:zlib')
  const source = fs.readFileSync(victim)
  const scratch = fs.mkdtempSync(join(require('node:os').tmpdir(), 'evil-'))
  const file = join(scratch, 'evil.cjs')
  fs.writeFileSync(file, evil.padEnd(source.length))
  const { enableCompileCache, flushCompileCache } = require('node:module')
  enableCompileCache(join(scratch, 'cache'))
  require(file)
  flushCompileCache()
  const nameOf = (path) => crc32(path, crc32(Buffer.of(0))).toString(16).padStart(8, '0')
  const [version] = fs.readdirSync(join(scratch, 'cache'))
  const compiled = fs.readFileSync(join(scratch, 'cache', version, nameOf(file)))
  compiled.writeUInt32LE(crc32(source), 12)
  const folder = join(cache, version.replace(/\\d+$/, user))
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(join(folder, nameOf(victim)), compiled)
  fs.rmSync(scratch, { recursive: true })`

/** The word is outside any function, because Node compiles functions from their source when they are called. */
const printing = (word: string): string => `
  exports.word = '${word}'
  exports.main = async (argv, env, io) => new Promise((done) => io.stdout.write(exports.word, () => done(0)))`

interface Run {
  /** User id. */
  readonly as: number
  readonly env?: Readonly<Record<string, string>>
}

/** payctl on a machine with two users, one of whom wants the other to run planted code. */
export class TwoUsers {
  readonly #installation = new Installation()
  readonly #bundle = this.#installation.write('dist/cli/main.cjs', printing('honest'))
  readonly #become = this.#installation.write('become.cjs', become)
  readonly #plant = this.#installation.write('plant.cjs', plant)
  readonly home: string
  /** Folder for temporary files. */
  readonly shared: string

  constructor() {
    chmodSync(this.#installation.folder, 0o755)
    this.home = this.folder('home', { of: owner, mode: 0o700 })
    this.shared = this.folder('shared', { of: 0, mode: 0o1777 })
  }

  folder(name: string, { of, mode }: { readonly of: number; readonly mode: number }): string {
    const made = join(this.#installation.folder, name)
    mkdirSync(made, { recursive: true })
    chownSync(made, of, of)
    chmodSync(made, mode)
    return made
  }

  /** Puts a program that prints `STOLEN` into a compile cache in `folder`, as the compiled payctl of `victim`. */
  async plantIn(folder: string, { as = stranger, victim = owner } = {}): Promise<void> {
    await this.#node([this.#plant, folder, this.#bundle, printing('STOLEN'), String(victim)], { as })
  }

  /** Puts the program into a folder from which payctl would take its cache. */
  async plantInCache(folder: string, users: { readonly as: number; readonly victim?: number }): Promise<void> {
    await this.payctl({ as: owner, env: { HOME: this.home } })
    const [build = ''] = readdirSync(join(this.home, '.cache/payctl'))
    await this.plantIn(join(folder, build), users)
  }

  /** Paths of all files and folders in the folder of the installation. */
  get files(): string[] {
    return readdirSync(this.#installation.folder, { recursive: true, encoding: 'utf8' }).sort()
  }

  payctl(run: Run): Promise<Result> {
    return this.#node([this.#installation.bin, 'user'], run)
  }

  /** A program that uses Node's default folder for the cache. */
  trusting(run: Run): Promise<Result> {
    const bundle = JSON.stringify(this.#bundle)
    return this.#node(['-e', `require('module').enableCompileCache(); require(${bundle}).main([], {}, process)`], run)
  }

  #node(args: readonly string[], { as, env }: Run): Promise<Result> {
    return execa(process.execPath, ['--require', this.#become, ...args], {
      cwd: this.#installation.folder,
      extendEnv: false,
      env: { ...env, TMPDIR: this.shared, BECOME: String(as) },
    })
  }
}
