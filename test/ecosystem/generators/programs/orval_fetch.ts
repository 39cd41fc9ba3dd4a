import type { Service } from '../../payment_program.ts'

let service: Service

/** Sets the server and the token of orval's functions. */
export const configure = (to: Service): void => {
  service = to
}

/** Orval's functions call this instead of `fetch`. */
export async function orvalFetch<T>(path: string, options: RequestInit): Promise<T> {
  const headers = new Headers(options.headers)
  headers.set('Authorization', `Bearer ${service.token}`)
  const answer = await fetch(new URL(path, service.baseUrl), { ...options, headers })
  return { status: answer.status, data: await answer.json(), headers: answer.headers } as T
}
