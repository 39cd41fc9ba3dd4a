import type { Database } from 'better-sqlite3'

export interface User {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly email_verified_at: number | null
  /** Eight national digits, enrolled in SINPE Móvil, or null. */
  readonly phone: string | null
  readonly document_number: string
  readonly document_type: number
  readonly created_at: number
  readonly updated_at: number
}

export type Users = ReturnType<typeof usersIn>

export function usersIn(db: Database) {
  const byId = db.prepare<[string], User>('SELECT * FROM users WHERE id = ?')
  const insert = db.prepare<[User]>(
    `INSERT INTO users VALUES (@id, @name, @email, @email_verified_at, @phone, @document_number, @document_type,
       @created_at, @updated_at)`,
  )
  return {
    get: (id: string): User | undefined => byId.get(id),
    add: (user: User): void => {
      insert.run(user)
    },
  }
}
