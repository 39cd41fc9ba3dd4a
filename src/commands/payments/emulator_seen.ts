import type { Client } from '../../client/client.ts'
import { worldHeader } from '../../contract/headers.ts'

/** Returns a function that says if an answer to the client has come from an emulator. Call it before the request. */
export function emulatorSeen(client: Client): () => boolean {
  let isSeen = false
  client.onAnswer(({ headers }) => {
    isSeen ||= headers[worldHeader.toLowerCase()] !== undefined
  })
  return () => isSeen
}
