import { type Signal, signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { ControlId, ControlOutputOf, WorldEvent } from '../../../src/contract/index.ts'
import { type AnswerError, type ControlInput, control } from './api.ts'
import { epoch, onEvent } from './live.ts'

interface Answer<T> {
  /** Null until the first answer arrives. */
  readonly data: T | null
  readonly error: AnswerError | null
  readonly isLoading: boolean
  readonly reload: () => void
  /** Changes the data here, without reading it again, after an event or an action of the page. */
  readonly patch: (change: (data: T) => T) => void
}

/** Milliseconds for which events are collected before data is read again. */
const collecting = 150

/** Statuses that say that the data no longer exists, for example after a reset of the world. */
const gone: readonly number[] = [404, 410]

/**
 * Reads a control endpoint, and reads it again when the input or the world changes, or when an event arrives for which
 * `when` is true. Keeps the previous data while it reads, and if the emulator does not answer.
 */
export function useAnswer<Id extends ControlId>(
  id: Id,
  input: ControlInput<Id> = {},
  { when }: { readonly when?: (event: WorldEvent) => boolean } = {},
): Answer<ControlOutputOf<Id>> {
  const data = useSignal<ControlOutputOf<Id> | null>(null)
  const error = useSignal<AnswerError | null>(null)
  const isLoading = useSignal(true)
  const run = useRef(0)
  const key = JSON.stringify(input)
  const load = async (): Promise<void> => {
    const own = ++run.current
    isLoading.value = true
    try {
      const answer = await control(id, input)
      if (own !== run.current) return
      data.value = answer
      error.value = null
    } catch (failure) {
      if (own !== run.current) return
      error.value = failure as AnswerError
      if (gone.includes(error.value.status)) data.value = null
    }
    isLoading.value = false
  }
  const latest = useRef(load)
  latest.current = load
  useEffect(() => {
    void latest.current()
    return () => {
      run.current++
    }
  }, [id, key, epoch.value])
  const isRelevant = useRef(when)
  isRelevant.current = when
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onEvent((event) => {
      if (!isRelevant.current?.(event) || timer !== undefined) return
      timer = setTimeout(() => {
        timer = undefined
        void latest.current()
      }, collecting)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [])
  return {
    data: data.value,
    error: error.value,
    isLoading: isLoading.value,
    reload: () => void latest.current(),
    patch(change) {
      if (data.value !== null) data.value = change(data.value)
    },
  }
}

/** A message shown in a corner of the page and read out by screen readers. */
interface Notice {
  readonly text: string
  readonly tone: 'done' | 'failed'
}

export const notice: Signal<Notice | null> = signal(null)

/** Runs an action that the user has started, and shows its result. Returns true if it succeeded. */
export async function act(work: () => Promise<unknown>, done: string): Promise<boolean> {
  try {
    await work()
    notice.value = { text: done, tone: 'done' }
    return true
  } catch (error) {
    notice.value = { text: error instanceof Error ? error.message : String(error), tone: 'failed' }
    return false
  }
}
