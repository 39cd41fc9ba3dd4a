import fs from 'node:fs'
import { Killed, machine, type Process } from './machine.ts'
import { hasNoSpace } from './statements.ts'

// Files of the simulated machine other than databases. They are real files; changes by a dead process have no effect.

/** The original functions, saved before they are replaced. */
const real = { mkdtempSync: fs.mkdtempSync, renameSync: fs.renameSync, rmSync: fs.rmSync }

/** Call before a file changes. Throws Killed if the process is dead, or dies here. */
function change(what: string, write?: (share: number) => void): void {
  const { process } = machine
  if (!process) return
  if (!process.alive) throw new Killed(`${process.name} is dead`)
  if (!process.filesAreSteps) return
  process.step(what)
  const { dying } = process
  process.dying = undefined
  if (dying) {
    write?.(dying.written)
    dying.kill()
    process.step('') // it is dead
  }
  if (write !== undefined || what === 'mkdtemp') requireSpace(process)
}

function requireSpace(process: Process): void {
  if (!hasNoSpace(process)) return
  machine.log(`${process.name}: the disk is full`)
  throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' })
}

/** Functions that replace those of `node:fs`. */
export const changes = {
  mkdtempSync: (prefix: string) => {
    change('mkdtemp')
    return real.mkdtempSync(prefix)
  },
  renameSync: (from: string, to: string) => {
    change('rename')
    real.renameSync(from, to)
  },
  rmSync: (path: string, options?: fs.RmOptions) => {
    if (machine.process?.alive === false) throw new Killed('its process is dead')
    real.rmSync(path, options)
  },
}

/** Result of `open` of `node:fs/promises`: operations end immediately, and the file closes when its process ends. */
export class SimulatedFile {
  readonly #descriptor: number
  #isOpen = true

  constructor(path: string, flags: string | number, mode?: number) {
    this.#descriptor = fs.openSync(path, flags, mode)
    machine.process?.atDeath(() => this.#close())
  }

  async stat(): Promise<fs.Stats> {
    return fs.fstatSync(this.#descriptor)
  }

  async chmod(mode: number): Promise<void> {
    fs.fchmodSync(this.#descriptor, mode)
  }

  async read({ buffer, position }: { readonly buffer: Buffer; readonly position: number }) {
    return { bytesRead: fs.readSync(this.#descriptor, buffer, 0, buffer.length, position), buffer }
  }

  async appendFile(text: string): Promise<void> {
    const bytes = Buffer.from(text)
    change('append', (share) => this.#write(bytes.subarray(0, Math.floor(share * bytes.length))))
    this.#write(bytes)
  }

  async datasync(): Promise<void> {
    change('datasync')
  }

  async close(): Promise<void> {
    this.#close()
  }

  #write(bytes: Buffer): void {
    if (bytes.length > 0) fs.writeSync(this.#descriptor, bytes)
  }

  #close(): void {
    if (this.#isOpen) fs.closeSync(this.#descriptor)
    this.#isOpen = false
  }
}
