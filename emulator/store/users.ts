import type { Statements } from './database.ts'

export interface User {
  readonly seq: number
  readonly id: string
  readonly name: string
  readonly email: string
  readonly email_verified_at: number | null
  /** Phone enrolled in SINPE Móvil, as eight national digits; null: none. */
  readonly phone: string | null
  readonly document_number: string
  readonly document_type: number
  readonly created_at: number
  readonly updated_at: number
}

export type Users = ReturnType<typeof usersIn>

export function usersIn(db: Statements) {
  const bySeq = db.prepare<[number], User>('SELECT * FROM users WHERE seq = ?')
  const byId = db.prepare<[string], User>('SELECT * FROM users WHERE id = ?')
  const byEmail = db.prepare<[string], User>('SELECT * FROM users WHERE email = ? COLLATE NOCASE ORDER BY seq LIMIT 1')
  const first = db.prepare<[number], User>('SELECT * FROM users ORDER BY seq LIMIT ?')
  const byPhone = db.prepare<[string], User>('SELECT * FROM users WHERE phone = ?')
  const all = db.prepare<[], User>('SELECT * FROM users ORDER BY seq')
  const lastSeq = db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM users').pluck()
  const insert = db.prepare<[User]>(
    `INSERT INTO users VALUES (@seq, @id, @name, @email, @email_verified_at, @phone, @document_number, @document_type,
       @created_at, @updated_at)`,
  )
  return {
    get(seq: number): User {
      const user = bySeq.get(seq)
      if (!user) throw new Error(`No user ${seq}`)
      return user
    },
    /** Oldest first. */
    all: (): User[] => all.all(),
    nextSeq: (): number => (lastSeq.get() ?? 0) + 1,
    byId: (id: string): User | undefined => byId.get(id),
    /** The oldest user with this email address, ignoring case. */
    byEmail: (email: string): User | undefined => byEmail.get(email),
    /** The `limit` oldest users, oldest first. */
    first: (limit: number): User[] => first.all(limit),
    /** Finds a user by the eight national digits of the phone. */
    byPhone: (phone: string): User | undefined => byPhone.get(phone),
    add: (user: User): void => {
      insert.run(user)
    },
  }
}
