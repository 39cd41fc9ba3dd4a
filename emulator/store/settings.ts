import type { Statements } from './statements.ts'

export type Settings = ReturnType<typeof settingsIn>

/** Named values that outlive a restart. */
export function settingsIn(db: Statements) {
  const read = db.prepare<[string], string>('SELECT value FROM settings WHERE name = ?').pluck()
  const write = db.prepare<[string, string]>('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)')
  return {
    get: (name: string): string | undefined => read.get(name),
    set: (name: string, value: string): void => {
      write.run(name, value)
    },
  }
}
