import { badJson } from '../src/contract/index.ts'
import { Refusal } from './domain/refusal.ts'

/** The media type of bodies, and the whole content type of answers. */
export const jsonType = 'application/json'
export const json = `${jsonType}; charset=utf-8`

/** An empty body is one without fields. */
export function parseJson(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    throw new Refusal(400, { message: badJson })
  }
}
