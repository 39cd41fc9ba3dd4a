import type { Context } from '../context.ts'

/** A choice that is kept does nothing in a shell whose environment makes another. */
export function noteOutranked({ env, output }: Context): void {
  for (const name of ['PAYCTL_PROFILE', 'PAYCTL_BASE_URL']) {
    if (env[name] !== undefined) output.note(`${name} is set in this shell, to ${env[name]}, and outranks it.`)
  }
}
