import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { openJournal } from '../../../src/journal/journal.ts'

/**
 * Makes the journal fail on changes of intents, or on new intents, that meet `condition`, an SQL expression for a
 * trigger. Returns a function that repairs the journal.
 */
export function breakJournal(stateDir: string, condition: string, write: 'UPDATE' | 'INSERT' = 'UPDATE'): () => void {
  openJournal(stateDir).close()
  const run = (sql: string) => {
    const journal = new Sqlite(join(stateDir, 'journal.db'))
    journal.exec(sql)
    journal.close()
  }
  run(`CREATE TRIGGER broken BEFORE ${write} ON intents WHEN ${condition} BEGIN SELECT RAISE(FAIL, 'disk full'); END`)
  return () => run('DROP TRIGGER broken')
}

/** Makes the journal unable to record that a request is about to be sent. */
export const breakMarking = (stateDir: string): (() => void) => breakJournal(stateDir, "NEW.status = 'sent'")
