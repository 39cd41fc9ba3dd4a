import type { ServerResponse } from 'node:http'
import type { RequestFault } from '../../src/contract/index.ts'

/** A fault of an answer. */
export interface AnswerFault {
  readonly kind: Exclude<RequestFault, 'reset'>
  /** Waits milliseconds of real time; resolves with true if the world still exists. */
  readonly wait: (ms: number) => Promise<boolean>
}

/** A dripping answer is sent in pieces of `bytes`, with pauses of `pause` milliseconds. */
const drip = { bytes: 16, pause: 50 }

/** Sends an answer with a fault. Headers that do not describe the body are already set. */
export function sendBroken(raw: ServerResponse, fault: AnswerFault, { type, text }: Answer): void {
  if (fault.kind === 'lose_answer') {
    raw.destroy()
    return
  }
  const whole = Buffer.from(fault.kind === 'malformed' ? text.slice(0, Math.ceil(text.length / 2)) : text)
  raw.setHeader('content-type', fault.kind === 'content_type' ? 'text/html; charset=utf-8' : type)
  raw.setHeader('content-length', whole.length)
  if (fault.kind === 'truncate') raw.write(whole.subarray(0, whole.length / 2), () => raw.destroy())
  else if (fault.kind === 'drip') void sendSlowly(raw, whole, fault.wait)
  else raw.end(whole)
}

interface Answer {
  readonly type: string
  readonly text: string
}

async function sendSlowly(raw: ServerResponse, whole: Buffer, wait: AnswerFault['wait']): Promise<void> {
  for (let at = 0; at < whole.length && !raw.destroyed; at += drip.bytes) {
    raw.write(whole.subarray(at, at + drip.bytes))
    if (await wait(drip.pause)) continue
    raw.destroy()
    return
  }
  raw.end()
}
