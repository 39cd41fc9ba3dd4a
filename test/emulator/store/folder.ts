import { createHash } from 'node:crypto'
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder for the current test, removed when the test ends. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-emulator-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Every file of a folder, with a hash of its content. */
export function contentsOf(folder: string): Record<string, string> {
  const names = readdirSync(folder).filter((name) => lstatSync(join(folder, name)).isFile())
  return Object.fromEntries(names.map((name) => [name, hashOf(join(folder, name))]))
}

const hashOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')
