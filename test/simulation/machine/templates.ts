import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Random } from '../random.ts'
import { machine, Process } from './machine.ts'
import { unseen } from './statements.ts'

// Databases after their first start, to be copied: creating their tables takes longer than most operations.

const templates = new Map<string, Buffer>()

/** Puts a database at a path. `make` creates a database of the same name in a folder, once for all runs. */
export function putDatabase(path: string, template: string, make: (folder: string) => void): void {
  let bytes = templates.get(template)
  if (!bytes) {
    const folder = join(dirname(path), 'template')
    mkdirSync(folder)
    const process = new Process('template', new Random('template', template))
    machine.as(process, () => unseen(() => make(folder)))
    bytes = readFileSync(join(folder, basename(path)))
    rmSync(folder, { recursive: true })
    templates.set(template, bytes)
  }
  writeFileSync(path, bytes, { mode: 0o600 })
}
