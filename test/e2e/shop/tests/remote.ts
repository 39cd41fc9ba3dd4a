import { type ControlCalls, controlCalls } from '../../../../emulator/control_calls.ts'
import { controlEndpoints } from '../../../../src/contract/index.ts'

/** The control endpoints of an emulator, or of one of its worlds, over HTTP. */
export const remoteControl = (base: string): ControlCalls =>
  controlCalls(async (id, { params, query, body }) => {
    const { method, path } = controlEndpoints[id]
    const filled = path.replace(/\{(\w+)\}/g, (_, name) =>
      encodeURIComponent((params as Record<string, string>)[name] ?? ''),
    )
    const answer = await fetch(`${base}${filled}?${new URLSearchParams(query as Record<string, string>)}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(method === 'POST' && { body: JSON.stringify(body) }),
    })
    const { data, message, errors } = (await answer.json()) as { data: unknown; message: string; errors: unknown }
    if (!answer.ok) throw new Error(`${id}: ${answer.status} ${message} ${JSON.stringify(errors ?? {})}`)
    return data
  })
